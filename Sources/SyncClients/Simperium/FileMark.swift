internal import Platform

/// Identifies the contents of a file without reading it: its modification time, its size, and its
/// inode.
public struct FileMark: Hashable, Sendable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int
    private let number: UInt

    /// The mark of the file at `path`; nil where there is none.
    public init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        seconds = facts.st_mtim.tv_sec
        nanoseconds = facts.st_mtim.tv_nsec
        size = facts.st_size
        number = facts.st_ino
    }
}
