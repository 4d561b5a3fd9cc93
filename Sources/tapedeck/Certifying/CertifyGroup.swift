import ArgumentParser
import Certification

/// `tapedeck certify`: conformance suites for clients.
struct CertifyGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certify",
        abstract: "Run a conformance suite against a client, and report which rules it broke.",
        subcommands: [CertifyCommCare.self, CertifySimperium.self, CertifyDrive.self])
}

/// `tapedeck certify commcare`.
struct CertifyCommCare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commcare",
        abstract: "Certify a CommCare device: forms, restores, and what servers answer to them.",
        discussion: CertifyOptions.discussion("commcare"))

    @OptionGroup var options: CertifyOptions

    func run() async throws { try await CertificationRun(.commcare, options).run() }
}

/// `tapedeck certify simperium`.
struct CertifySimperium: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simperium",
        abstract: "Certify a Simperium client: indexes, changes, and what servers answer to them.",
        discussion: CertifyOptions.discussion("simperium"))

    @OptionGroup var options: CertifyOptions

    func run() async throws { try await CertificationRun(.simperium, options).run() }
}
