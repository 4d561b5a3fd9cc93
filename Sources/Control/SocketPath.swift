import Foundation
import Platform

/// The path of a Unix-domain socket, readable by its owner only from its creation on.
///
/// The socket is made in a folder that only its owner can read and then moved to its place, so that
/// it never exists with another mode. Paths of sockets are short; the folder is reached
/// through its descriptor, so that the place may be as deep as it likes.
final class SocketPath {
    /// Where the socket belongs.
    let path: String
    /// Where it is made.
    private let temporary: String
    private let folder: String
    private let descriptor: Int32

    /// Prepares a socket at `path`; a socket that a dead process left is removed when ``place()``
    /// is called.
    ///
    /// - Throws: ``ControlError`` where a program listens there, or another file exists there.
    init(_ path: String) throws(ControlError) {
        try Self.check(path)
        let parent = (path as NSString).deletingLastPathComponent
        var template = Array("\(parent.isEmpty ? "." : parent)/.tapedeck-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ControlError(
                .badAddress,
                "cannot make a socket at \(path): \(Self.reason()); choose another path with --control"
            )
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = Self.reason()
            rmdir(folder)
            throw ControlError(.failed, "cannot open \(folder): \(reason)")
        }
        temporary = OpenFiles.path(of: "socket", in: descriptor)
        self.path = path
    }

    deinit {
        close(descriptor)
        unlink("\(folder)/socket")
        rmdir(folder)
    }

    /// Makes the socket.
    ///
    /// A library that is given the path would remove what is there when it closes the socket; by
    /// then the descriptor in it may lead to another folder.
    ///
    /// - Returns: Its descriptor, which belongs to the caller.
    func bind() throws(ControlError) -> Int32 {
        let socket = Self.makeSocket()
        let result =
            Self.withAddress(temporary) { Platform.bind(socket, $0, $1) } ?? -1
        guard socket >= 0, result == 0 else {
            let reason = Self.reason()
            if socket >= 0 { close(socket) }
            throw ControlError(
                .badAddress,
                "cannot make a socket at \(path): \(reason); choose another path with --control")
        }
        return socket
    }

    /// Moves the socket that listens to its place.
    ///
    /// - Returns: The attributes that distinguish it from a socket that replaces it later.
    func place() throws(ControlError) -> PlacedSocket {
        let made = "\(folder)/socket"
        guard chmod(made, 0o600) == 0, rename(made, path) == 0,
            let placed = PlacedSocket(path)
        else {
            throw ControlError(
                .badAddress,
                "cannot make a socket at \(path): \(Self.reason()); choose another path with --control"
            )
        }
        return placed
    }

    private static func reason() -> String { String(cString: strerror(errno)) }

    /// Refuses a path with a file that is not a socket, or one where a program listens.
    private static func check(_ path: String) throws(ControlError) {
        guard let file = FileIdentity(path: path, followsLink: false) else { return }
        guard file.isSocket else {
            throw ControlError(
                .badAddress,
                "\(path) exists and is not a socket; choose another path with --control")
        }
        guard !isAlive(path) else {
            throw ControlError(
                .inUse,
                "another tapedeck is controlled at \(path); choose another path with --control")
        }
    }

    /// Whether a program accepts connections there.
    private static func isAlive(_ path: String) -> Bool {
        let parent = (path as NSString).deletingLastPathComponent
        let folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        let short = OpenFiles.path(of: (path as NSString).lastPathComponent, in: folder)
        let socket = makeSocket()
        guard socket >= 0 else { return false }
        defer { close(socket) }
        guard let result = withAddress(short, { connect(socket, $0, $1) }) else { return false }
        // A full queue means that a program listens.
        return result == 0 || errno == EAGAIN
    }

    /// A socket that no program inherits; negative where there is none to be had.
    private static func makeSocket() -> Int32 {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if made >= 0 { _ = fcntl(made, F_SETFD, FD_CLOEXEC) }
        return made
    }

    /// What `body` returns for an address with this path; nil where the path is too long for one.
    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A socket in its place, for removing it again.
struct PlacedSocket: Hashable, Sendable {
    /// Where it is.
    let path: String
    private let file: FileIdentity

    /// The file at `path`; nil where there is none.
    init?(_ path: String) {
        guard let file = FileIdentity(path: path, followsLink: false) else { return nil }
        self.path = path
        self.file = file
    }

    /// Removes it, unless another program put another one there.
    func remove() {
        if PlacedSocket(path) == self { unlink(path) }
    }
}
