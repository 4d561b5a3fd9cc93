import ArgumentParser
import Fleet
import Foundation
import Redaction

/// What is shipped and how, for `ship` and `record --ship`.
struct ShippingArguments: ParsableArguments {
    @OptionGroup var password: FleetOptions

    @Option(
        help: ArgumentHelp(
            "Label the sessions that were not shipped yet, such as app=3.2; may be repeated.",
            valueName: "name=value"))
    var label: [String] = []

    @Flag(
        help:
            "Ship secrets as they were recorded, and sessions while they are recorded (default: sessions that have ended, with placeholders for secrets)."
    )
    var noRedact = false

    @Option(
        help: ArgumentHelp(
            "Make placeholders with the key in this file, so that those of all recorders are equal (default: with a key of the trace).",
            valueName: "file"), completion: .file())
    var redactionKey: String?

    @Option(
        help: ArgumentHelp(
            "What this regular expression matches is a secret; may be repeated.",
            valueName: "regex"))
    var redactPattern: [String] = []

    @Option(
        help: ArgumentHelp(
            "The value of this name in forms, JSON, queries or cases is a secret; may be repeated.",
            valueName: "name"))
    var redactName: [String] = []

    /// The options for shipping to `url`.
    func options(to url: String) throws -> ShippingOptions {
        do {
            return ShippingOptions(
                address: try FleetAddress(parsing: url), password: try password.password(),
                labels: try label.map { try Label(parsing: $0) }, secrets: try secrets(),
                program: Program.version)
        } catch let error as FleetError {
            throw Failure(error)
        }
    }

    /// Whether any of them is given.
    var isGiven: Bool {
        password.passwordFile != nil || !label.isEmpty || noRedact || redactionKey != nil
            || !redactPattern.isEmpty || !redactName.isEmpty
    }

    private func secrets() throws -> ShippedSecrets {
        guard !noRedact else {
            guard redactionKey == nil, redactPattern.isEmpty, redactName.isEmpty else {
                throw Failure(
                    .usage,
                    "--redaction-key, --redact-pattern and --redact-name do not go with --no-redact"
                )
            }
            return .kept
        }
        return .redacted(
            RedactionOptions(patterns: redactPattern, names: redactName),
            key: try redactionKey.map { try FleetKey(file: $0) })
    }
}
