import Foundation

/// The files of a trace.
enum TraceFiles {
    /// Removes the trace at `path` with what SQLite may have put beside it.
    static func remove(_ path: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
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
