import Foundation
import Platform

/// The file of a report, which its owner alone may read.
enum ReportFile {
    /// Writes a file that must not exist.
    ///
    /// - Throws: ``Failure`` where it exists, or cannot be written.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason =
                errno == EEXIST ? "exists already; name another" : String(cString: strerror(errno))
            throw Failure(.noInput, "\(path) \(reason)")
        }
        defer { close(descriptor) }
        if let error = FileDescriptor.write(bytes, to: descriptor) {
            unlink(path)
            throw Failure(.io, "\(path) cannot be written: \(String(cString: strerror(error)))")
        }
    }
}
