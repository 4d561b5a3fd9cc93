import ArgumentParser
import Foundation
import Interception
import Platform

/// A store of trusted authorities on this machine, which `ca --install` adds ours to.
enum TrustStore: Hashable {
    /// Debian's, for programs that use the system's file; root's.
    case system
    /// A database of NSS, as Chrome and Firefox have: its folder.
    case nss(String)

    /// The kinds of stores.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case system, nss
    }

    /// Which kind it is.
    var kind: Kind {
        switch self {
        case .system: .system
        case .nss: .nss
        }
    }

    /// Where Debian takes further authorities from.
    private static let folder = "/usr/local/share/ca-certificates"

    /// The stores that this user has.
    static func all(home: String?) -> [TrustStore] {
        var stores: [TrustStore] = []
        if SystemProgram.path(of: "update-ca-certificates") != nil { stores.append(.system) }
        guard let home else { return stores }
        // Chrome and Chromium share one; Firefox has one for each profile, also as a snap.
        var folders = ["\(home)/.pki/nssdb"]
        for parent in [
            "\(home)/.mozilla/firefox", "\(home)/snap/firefox/common/.mozilla/firefox",
            "\(home)/.config/mozilla/firefox",
        ] {
            let profiles = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            folders += profiles.sorted().map { "\(parent)/\($0)" }
        }
        let known = folders.filter { FileManager.default.fileExists(atPath: "\($0)/cert9.db") }
        return stores + known.map(TrustStore.nss)
    }

    /// What it is, for people.
    var text: String {
        switch self {
        case .system: "the system's store (\(Self.folder))"
        case .nss(let folder): "the NSS database in \(folder)"
        }
    }

    /// Adds an authority, in place of one of the same name.
    ///
    /// - Throws: ``Failure`` where that is not allowed, or a program for it is missing.
    func add(_ authority: CertificateAuthority, pem: String) throws(Failure) {
        switch self {
        case .system:
            let path = Self.file(authority)
            do {
                try authority.pem.write(toFile: path, atomically: true, encoding: .utf8)
            } catch {
                throw Failure(
                    .io, "\(path) cannot be written: the system's store is root's; use sudo")
            }
            try SystemProgram.run("update-ca-certificates", [], package: "ca-certificates")
        case .nss(let folder):
            try? remove(authority)
            try SystemProgram.run(
                "certutil",
                ["-A", "-d", "sql:\(folder)", "-n", authority.name, "-t", "C,,", "-i", pem],
                package: "libnss3-tools")
        }
    }

    /// Removes it.
    ///
    /// - Throws: As ``add(_:pem:)``.
    func remove(_ authority: CertificateAuthority) throws(Failure) {
        switch self {
        case .system:
            let path = Self.file(authority)
            guard FileManager.default.fileExists(atPath: path) else { return }
            guard unlink(path) == 0 else {
                throw Failure(
                    .io, "\(path) cannot be removed: the system's store is root's; use sudo")
            }
            try SystemProgram.run("update-ca-certificates", [], package: "ca-certificates")
        case .nss(let folder):
            try SystemProgram.run(
                "certutil", ["-D", "-d", "sql:\(folder)", "-n", authority.name],
                package: "libnss3-tools")
        }
    }

    /// Whether it has the authority.
    func has(_ authority: CertificateAuthority) -> Bool {
        switch self {
        case .system: FileManager.default.fileExists(atPath: Self.file(authority))
        case .nss(let folder):
            (try? SystemProgram.run(
                "certutil", ["-L", "-d", "sql:\(folder)", "-n", authority.name],
                package: "libnss3-tools")) != nil
        }
    }

    /// One file for each authority, so that removing takes no other one's.
    private static func file(_ authority: CertificateAuthority) -> String {
        let digits = authority.fingerprintSHA256.filter { $0 != ":" }.prefix(16).lowercased()
        return "\(folder)/tapedeck-\(digits).crt"
    }
}
