import Foundation
import Interception

/// A temporary folder with the certificates that a command has to trust.
struct TrustFolder {
    /// Its files.
    let files: CommandEnvironment.Trust
    private let path: String

    /// Writes the files.
    ///
    /// - Throws: ``Failure`` where there is no room for them.
    init(_ authority: CertificateAuthority) throws(Failure) {
        let manager = FileManager.default
        path = manager.temporaryDirectory.path + "/tapedeck-\(UUID().uuidString)"
        files = CommandEnvironment.Trust(
            authority: "\(path)/ca.pem", bundle: "\(path)/bundle.pem", java: "\(path)/trust.jks")
        let system = SystemRoots.pem()
        let store = JavaTrustStore.bytes(
            certificates: [authority.der] + SystemRoots.der(pem: system),
            milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        do {
            try manager.createDirectory(
                atPath: path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try Data(authority.pem.utf8).write(to: URL(fileURLWithPath: files.authority))
            try Data((authority.pem + system).utf8).write(to: URL(fileURLWithPath: files.bundle))
            try Data(store).write(to: URL(fileURLWithPath: files.java))
        } catch {
            remove()
            throw Failure(
                .io,
                "\(path) cannot be written: \(error.localizedDescription); TMPDIR names another folder"
            )
        }
    }

    /// Deletes it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
