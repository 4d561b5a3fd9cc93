internal import Platform

/// A file that is moved to its place when it is complete, and leaves nothing behind otherwise.
///
/// `-` is standard output, which is written directly.
package final class NewFile {
    /// What is written.
    package let writer: FileWriter
    private let target: String
    private let folder: String?

    /// A file that will be moved to `path`, where nothing may exist, readable by its owner only.
    package init(for path: String) throws(FileError) {
        guard path != "-" else {
            target = path
            folder = nil
            writer = try FileWriter(standardOutput: ())
            return
        }
        target = Folder.absolute(path)
        guard !Folder.isThere(target) else { throw Self.inTheWay(path) }
        let folder = try Folder.makeBeside(target)
        self.folder = folder
        do {
            writer = try FileWriter(creating: folder + "/file")
        } catch {
            Folder.remove(folder)
            throw error
        }
    }

    deinit { if let folder { Folder.remove(folder) } }

    /// Writes `bytes`, buffered.
    package func write(_ bytes: [UInt8]) throws(FileError) { try writer.write(bytes) }

    /// Moves it to its place, unless another file was created there meanwhile.
    package func publish() throws(FileError) {
        try writer.finish()
        guard let folder else { return }
        // A rename would replace an existing file; a link does not, but not every file system has
        // links.
        if link(folder + "/file", target) == 0 { return }
        guard errno != EEXIST, !Folder.isThere(target) else { throw Self.inTheWay(target) }
        try Folder.rename(folder + "/file", to: target)
    }

    private static func inTheWay(_ path: String) -> FileError {
        FileError(.cannotOpen, "\(path) exists already: name a new file")
    }
}
