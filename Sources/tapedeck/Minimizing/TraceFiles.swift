import Foundation

/// The files of a trace.
enum TraceFiles {
    /// Removes the trace at `path` with what SQLite may have put beside it.
    static func remove(_ path: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
    }

    /// Removes an empty folder.
    static func removeFolder(_ path: String) { rmdir(path) }

    /// Copies the trace at `path`, which nobody writes, to a new file.
    static func copy(_ path: String, to target: String) throws(Failure) {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: target)
        } catch {
            throw Failure(
                .noInput, "\(target) is there already or cannot be made: name a new file")
        }
    }

    /// Makes a folder that nobody else may look into, for traces that do not stay.
    static func makeFolder() throws(Failure) -> String {
        var template = Array((NSTemporaryDirectory() + "/tapedeck-XXXXXX").utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else {
            throw Failure(
                .io, "\(NSTemporaryDirectory()) cannot be written; set TMPDIR to another folder")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
