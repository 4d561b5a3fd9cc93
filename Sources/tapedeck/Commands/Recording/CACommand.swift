import ArgumentParser
import Foundation
import Interception

/// Where the certificate authority is kept.
struct AuthorityOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-dir"),
        help: ArgumentHelp(
            "Folder with the certificate authority; created if missing.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    /// The given folder, or the one for this user.
    ///
    /// - Throws: ``Failure`` where no folder for a user's own files is known: the private key is
    ///   not left wherever the program happens to run.
    func path() throws(Failure) -> String {
        try Self.path(directory, ProcessInfo.processInfo.environment)
    }

    /// The folder, by the option and the environment.
    static func path(
        _ directory: String?, _ environment: [String: String]
    ) throws(Failure) -> String {
        if let directory { return directory }
        // The XDG Base Directory Specification ignores paths that are not absolute.
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") {
            return "\(base)/tapedeck"
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return "\(home)/.local/share/tapedeck"
        }
        throw Failure(
            .usage,
            "there is no place for the private key of the certificate authority: neither HOME nor "
                + "XDG_DATA_HOME is an absolute path; name a folder with --ca-dir DIR")
    }

    /// The authority in that folder.
    func open() throws(Failure) -> CertificateAuthority {
        let path = try path()
        do {
            return try CertificateAuthority.open(directory: path, createIfMissing: true)
        } catch {
            throw Failure(error)
        }
    }
}

/// `tapedeck ca`.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Print the certificate of the authority that clients have to trust.",
        discussion: """
            Creates it on first use. Install the certificate on the device or in the app under \
            test; the key never leaves the folder and is readable by its owner only. A device that \
            uses the proxy gets it at http://tapedeck/.

            Examples:
              tapedeck ca --pem ca.pem
              tapedeck ca --help-for android
            """)

    @OptionGroup var authority: AuthorityOptions

    @Option(
        help: ArgumentHelp("Write the certificate as PEM to a file.", valueName: "file"),
        completion: .file())
    var pem: String?

    @Option(
        help: ArgumentHelp("Write the certificate as DER to a file.", valueName: "file"),
        completion: .file())
    var der: String?

    @Option(
        help: ArgumentHelp(
            "Print the steps with which a platform trusts it and uses the proxy: android, ios, java, curl, python, node or firefox.",
            valueName: "platform"))
    var helpFor: TrustGuide?

    func run() throws {
        let folder = URL(fileURLWithPath: try authority.path()).path
        let authority = try authority.open()
        if let helpFor {
            return StandardOutput.write(
                helpFor.text(
                    TrustGuide.Places(
                        pem: "\(folder)/\(CertificateAuthority.pemFile)",
                        der: "\(folder)/\(CertificateAuthority.derFile)")))
        }
        if let pem { try write(Data(authority.pem.utf8), to: pem) }
        if let der { try write(Data(authority.der), to: der) }
        if pem == nil, der == nil { StandardOutput.write(authority.pem) }
        StandardError.write(
            "\(authority.name)\nSHA-256 \(authority.fingerprintSHA256)\nin \(try self.authority.path())\n"
        )
    }

    private func write(_ data: Data, to path: String) throws(Failure) {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(.io, "cannot write \(path): \(error.localizedDescription)")
        }
    }
}
