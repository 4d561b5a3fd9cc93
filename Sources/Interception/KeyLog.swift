internal import Glibc
public import NIOCore

/// A file with the secrets of TLS sessions, which Wireshark reads to decrypt a capture.
///
/// One line per secret in the format of NSS, `SSLKEYLOGFILE`. Whoever has the file can read the
/// traffic, so it is made for its owner alone. May be used from any thread.
public final class KeyLog: Sendable {
    /// The open file.
    private let file: Int32

    /// Opens the file at `path` for appending and makes it, with mode 0600, where it is missing.
    ///
    /// - Throws: ``InterceptionError`` with code `storage`.
    public init(path: String) throws(InterceptionError) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure(path, "open the key log") }
    }

    deinit { close(file) }

    /// Appends one line.
    ///
    /// A line that cannot be written is lost: the traffic matters more. Blocks for as long as the
    /// system takes a short write to a file.
    ///
    /// - Parameter line: One line as the TLS library made it, with or without its newline.
    public func append(_ line: ByteBuffer) {
        var bytes = Array(line.readableBytesView)
        if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        // One write: with O_APPEND lines of several threads and processes stay whole.
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }
}
