public import NIOCore
internal import Platform

/// A file with the secrets of TLS sessions, which Wireshark reads to decrypt a capture.
///
/// One line per secret in the format of NSS, `SSLKEYLOGFILE`. The file allows decrypting the
/// traffic, so it is readable by its owner alone. May be used from any thread.
public final class KeyLog: Sendable {
    /// What was changed about a file that was there, as text; nil for nothing.
    public let notice: String?
    /// The open file.
    private let file: Int32

    /// Opens the file at `path` for appending and makes it, with mode 0600, where it is missing.
    ///
    /// One that others may read is made its owner's alone.
    ///
    /// - Throws: ``InterceptionError``: `storage`, or `exposedKey` for a symbolic link and for a
    ///   file that others may read and that belongs to another user.
    public init(path: String) throws(InterceptionError) {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            if errno == ELOOP { throw PrivateFile.behindLink(path, "the key log") }
            throw PrivateFile.failure(path, "open the key log")
        }
        do throws(InterceptionError) {
            notice = try PrivateFile.tighten(file, path, "the secrets of TLS sessions")
        } catch {
            close(file)
            throw error
        }
        self.file = file
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
