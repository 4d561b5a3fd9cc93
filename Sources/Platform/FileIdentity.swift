/// The identity of a file, whatever its path.
package struct FileIdentity: Hashable, Sendable {
    /// The device that it is on.
    package var device: UInt64
    /// Its number on that device.
    package var inode: UInt64
    /// Whether it is a socket.
    package var isSocket: Bool

    /// The file at `path`; nil where there is none.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - followsLink: Whether it is what a symbolic link at `path` leads to, and not the link.
    package init?(path: String, followsLink: Bool = true) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }
}
