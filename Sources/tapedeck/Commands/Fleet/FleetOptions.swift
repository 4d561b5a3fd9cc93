import ArgumentParser
import Fleet
import Foundation

/// The password of a fleet, which no command line has.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the password of the fleet's user from this file (default: from the variable TAPEDECK_FLEET_PASSWORD, else none).",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    /// The variable that has the password.
    static let variable = "TAPEDECK_FLEET_PASSWORD"

    /// The password.
    func password() throws(Failure) -> String {
        guard let passwordFile else {
            return ProcessInfo.processInfo.environment[Self.variable] ?? ""
        }
        guard let data = FileManager.default.contents(atPath: passwordFile) else {
            throw Failure(
                .noInput, "--password-file \(passwordFile) cannot be read; check the name")
        }
        let text = String(decoding: data, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

extension Failure {
    init(_ error: FleetError) {
        let status: Status =
            switch error.code {
            case .usage: .usage
            case .unreachable: .unavailable
            case .refused: .unavailable
            case .version, .schema, .conflict, .trace: .data
            case .missing: .noInput
            case .busy, .stopped: .temporary
            case .server, .storage: .io
            }
        self.init(status, error.reason)
    }
}
