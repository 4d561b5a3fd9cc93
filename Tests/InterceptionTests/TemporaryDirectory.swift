import Foundation
import Platform

/// Runs `body` with a directory of its own, which is gone afterwards.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    var template = Array("\(systemTemporaryDirectory)/tapedeck-tests-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TemporaryDirectoryError() }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { remove(tree: path) }
    try await body(path)
}

/// Where the system keeps what need not last: `TMPDIR`, or what the C library says.
private var systemTemporaryDirectory: String {
    guard let named = getenv("TMPDIR").map({ String(cString: $0) }), !named.isEmpty else {
        return P_tmpdir
    }
    return named
}

/// No temporary directory could be made.
struct TemporaryDirectoryError: Error {}

/// The permission bits of the file at `path`, nil where there is none.
func permissions(_ path: String) -> UInt32? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.uint32Value
}

/// Removes `path` and everything in it.
private func remove(tree path: String) {
    if let directory = opendir(path) {
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove(tree: "\(path)/\(name)") }
        }
        closedir(directory)
    }
    remove(path)
}
