internal import Foundation
internal import Platform

/// The files of a temporary trace.
package enum TraceFiles {
    /// Removes the trace at `path` with what SQLite may have put beside it.
    package static func remove(_ path: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
    }

    /// Removes an empty folder.
    package static func removeFolder(_ path: String) { rmdir(path) }

    /// Copies the trace at `path`, which is not being written, to a new file.
    package static func copy(_ path: String, to target: String) throws(FileError) {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: target)
        } catch {
            throw FileError(
                .cannotOpen, "\(target) exists already or cannot be created: name a new file")
        }
    }

    /// Makes a folder that only its owner can read.
    package static func makeFolder() throws(FileError) -> String {
        var template = Array((NSTemporaryDirectory() + "/tapedeck-XXXXXX").utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else {
            throw FileError(
                .storage,
                "\(NSTemporaryDirectory()) cannot be written; set TMPDIR to another folder")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
