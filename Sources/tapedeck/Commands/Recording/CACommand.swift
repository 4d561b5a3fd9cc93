import ArgumentParser
import Foundation
import Interception
import Platform

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
            uses the proxy gets it at http://tapedeck.test/ or at the proxy's own address.

            Examples:
              tapedeck ca --pem ca.pem
              tapedeck ca --for android
              tapedeck ca --install
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
            "Write a trust store of PKCS#12 with the certificate to a file; its password is changeit.",
            valueName: "file"),
        completion: .file())
    var p12: String?

    @Option(
        name: [.customLong("for"), .customLong("help-for")],
        help: ArgumentHelp(
            "Print the steps with which a platform trusts it and uses the proxy: android, ios, java, curl, python, node, go, firefox or chrome.",
            valueName: "platform"))
    var helpFor: TrustGuide?

    @Flag(
        help:
            "Add it to the stores of this machine: the system's (Debian, as root) and the NSS databases of Chrome and Firefox, each after a question."
    )
    var install = false

    @Flag(help: "Remove it from these stores.")
    var uninstall = false

    @Option(
        help: ArgumentHelp(
            "With --install or --uninstall: this kind of store alone; may be repeated.",
            valueName: "system|nss"))
    var store: [TrustStore.Kind] = []

    @Flag(name: .shortAndLong, help: "With --install or --uninstall: do not ask.")
    var yes = false

    func run() throws {
        if install || uninstall { return try changeStores() }
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
        if let p12 { try write(Data(store(authority)), to: p12) }
        if pem == nil, der == nil, p12 == nil { StandardOutput.write(authority.pem) }
        StandardError.write(
            "\(authority.name)\nSHA-256 \(authority.fingerprintSHA256)\nin \(try self.authority.path())\n"
        )
    }

    private func store(_ authority: CertificateAuthority) throws(Failure) -> [UInt8] {
        do {
            return try PKCS12TrustStore.bytes(certificate: authority.der, name: authority.name)
        } catch {
            throw Failure(error)
        }
    }

    private func write(_ data: Data, to path: String) throws(Failure) {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(.io, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    // MARK: Stores

    /// Adds the authority to the stores of this machine, or removes it.
    private func changeStores() throws {
        guard install != uninstall else {
            throw Failure(.usage, "--install and --uninstall do not go together")
        }
        let pem =
            URL(fileURLWithPath: try authority.path()).path + "/\(CertificateAuthority.pemFile)"
        let authority = try authority.open()
        let stores = TrustStore.all(home: ProcessInfo.processInfo.environment["HOME"])
            .filter { store.isEmpty || store.contains($0.kind) }
        guard !stores.isEmpty else {
            throw Failure(
                .unavailable,
                "no store was found here: neither update-ca-certificates nor an NSS database; see tapedeck ca --for curl|java|firefox"
            )
        }
        var failures: [Failure] = []
        var changed = 0
        for store in stores where install || store.has(authority) {
            guard try isWanted(store) else { continue }
            do throws(Failure) {
                if install {
                    try store.add(authority, pem: pem)
                } else {
                    try store.remove(authority)
                }
                changed += 1
                StandardOutput.write("\(install ? "added to" : "removed from") \(store.text)\n")
            } catch {
                failures.append(error)
                StandardError.write("tapedeck: \(store.text): \(error.detail)\n")
            }
        }
        if changed == 0, failures.isEmpty { StandardOutput.write("nothing was changed\n") }
        if let failure = failures.first {
            throw Failure(failure.status, "not every store was changed")
        }
    }

    /// Whether the user says so.
    private func isWanted(_ store: TrustStore) throws(Failure) -> Bool {
        if yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(.usage, "nobody is there to ask; --yes does without")
        }
        StandardError.write("\(install ? "add to" : "remove from") \(store.text)? [y/N] ")
        return readLine()?.lowercased().hasPrefix("y") == true
    }
}
