internal import Platform

/// A file that comes to its place when it is whole, and leaves nothing behind otherwise.
///
/// `-` stands for standard output, which gets what is written as it comes.
package final class NewFile {
    /// What is written.
    package let writer: FileWriter
    private let target: String
    private let folder: String?

    /// A file that will stand at `path`, where nothing may be, readable by its owner alone.
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

    /// Writes `bytes`, sooner or later.
    package func write(_ bytes: [UInt8]) throws(FileError) { try writer.write(bytes) }

    /// Brings it to its place, unless something came there meanwhile.
    package func publish() throws(FileError) {
        try writer.finish()
        guard let folder else { return }
        // A rename would replace what came there; a link does not, but not every disk has links.
        if link(folder + "/file", target) == 0 { return }
        guard errno != EEXIST, !Folder.isThere(target) else { throw Self.inTheWay(target) }
        try Folder.rename(folder + "/file", to: target)
    }

    private static func inTheWay(_ path: String) -> FileError {
        FileError(.cannotOpen, "\(path) is there already: name a new file")
    }
}
