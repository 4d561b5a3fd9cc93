internal import Foundation
internal import Platform

/// Folders and names in them.
package enum Folder {
    /// Whether something is at `path`, a broken link included.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether `path` is a folder, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether nothing is in the folder `path`.
    package static func isEmpty(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false
    }

    /// `path` from the root on, without dots in it and with the links of what is there followed.
    package static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// The folder that `path`, an absolute one, is in.
    package static func parent(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    /// Makes a private folder beside `path`, an absolute one, on the same disk.
    package static func makeBeside(_ path: String) throws(FileError) -> String {
        let url = URL(fileURLWithPath: path)
        let template =
            url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).XXXXXX"
        var bytes = template.utf8CString.map { $0 }
        let isMade = bytes.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else {
            throw FileError(
                .cannotOpen,
                "\(parent(path)) cannot be written: \(lastSystemError); check the folder")
        }
        return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a temporary folder with its content.
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Renames `old` to `new`, where only an empty folder or a file may exist.
    package static func rename(_ old: String, to new: String) throws(FileError) {
        guard Platform.rename(old, new) == 0 else {
            throw FileError(
                .cannotOpen, "\(new) cannot be written: \(lastSystemError); name another")
        }
    }
}
