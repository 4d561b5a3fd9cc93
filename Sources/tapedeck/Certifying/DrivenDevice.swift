import ArgumentParser
import Certification

/// The built-in CommCare client as the device that a script is about.
///
/// Each step is a separate run of the client, with the state of the user who is signed in.
struct DrivenDevice {
    private let url: String
    private let domain: String
    private let folder: String
    private var user: String
    private var id = "certify-device"
    private var daysLater = 0

    /// A device on which `user` signs in; `folder` has the states of its users.
    init(url: String, domain: String, user: String, folder: String) {
        self.url = url
        self.domain = domain
        self.user = user
        self.folder = folder
    }

    /// Does a step.
    mutating func perform(_ step: Step) async throws(Failure) {
        do {
            switch step {
            case .submit(let form, let files, let how):
                try await ClientCommCareSubmit.parse(
                    [form] + files + arguments(how) + Self.flags(how)
                ).run()
            case .sync(let isAutomatic):
                try await ClientCommCareSync.parse(
                    arguments(.usual) + (isAutomatic ? ["--automatic"] : [])
                ).run()
            case .claim(let caseID):
                try await ClientCommCareClaim.parse([caseID] + arguments(.usual)).run()
            case .signIn(let name): user = name
            case .move(let device): id = device
            case .later(let days): daysLater += days
            case .pause(let seconds): try await Task.sleep(for: .seconds(seconds))
            default: throw Failure(.data, "there is no step \(step) for a CommCare device")
            }
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(.usage, "\(error)") }
    }

    private func arguments(_ how: Step.Manner) -> [String] {
        // Submissions to another kind of server need a separate state folder.
        let app = how == .demo || how == .openRosa ? "-\(how.rawValue)" : ""
        return [
            "--to", url, "--domain", domain, "--user", user, "--device", id,
            "--state", "\(folder)/state-\(user)\(app)", "--days-later", String(daysLater),
        ]
    }

    private static func flags(_ how: Step.Manner) -> [String] {
        switch how {
        case .usual: []
        case .chunked: ["--chunked"]
        case .demo: ["--demo"]
        case .openRosa: ["--openrosa"]
        }
    }
}
