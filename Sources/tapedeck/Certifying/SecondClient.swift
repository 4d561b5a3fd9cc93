import Certification
import Foundation
import HTTPLayer
import Simperium
import SyncClients

/// Another client of the same user, connected directly to the server: it creates data before a
/// scenario begins, and changes it meanwhile.
enum SecondClient {
    /// Nanoseconds that a step may take.
    private static let patience: Int64 = 20_000_000_000

    /// Runs `steps` against the server on `port` of this machine.
    static func act(
        _ steps: [Step], suite: Suite, folder: String, port: Int
    ) async throws(CertificationError) {
        switch suite.name {
        case .simperium: try await simperium(steps, app: suite.app, port: port)
        case .commcare:
            for step in steps { try await commCare(step, suite.app, folder, port) }
        }
    }

    private static func simperium(
        _ steps: [Step], app: String, port: Int
    ) async throws(CertificationError) {
        let script: SimperiumScript
        do {
            script = try SimperiumScript(
                parsing: Scenario.text(steps, bucket: Suite.bucket), buckets: [Suite.bucket])
        } catch { throw CertificationError("line \(error.line): \(error.reason)") }
        var settings = SimperiumClient.Settings(
            target: SimperiumTarget(host: "127.0.0.1", port: port), app: app,
            buckets: [Suite.bucket])
        settings.token = Identity.token
        let outcome: SimperiumOutcome
        do {
            outcome = try await SimperiumClient(settings).run(
                SimperiumScriptRunner(script, patience: patience)
            ) { _ in
            } say: { _ in
            }
        } catch { throw CertificationError("the second client: \(error.reason)") }
        guard outcome == .done else { throw CertificationError("the second client: \(outcome)") }
    }

    private static func commCare(
        _ step: Step, _ app: String, _ folder: String, _ port: Int
    ) async throws(CertificationError) {
        let work: CommCareClient.Work
        do throws(CommCareClientError) {
            let state = try CommCareState(
                folder: "\(folder)/second-device", deviceID: "certify-second-device")
            switch step {
            case .submit(let name, let files, _):
                let xml = [UInt8](
                    FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
                _ = try state.add(
                    try CommCareForm(
                        xml: xml, filename: name,
                        attachments: files.map { .init(name: $0, path: "\(folder)/\($0)") }))
                work = .submit
            case .sync: work = .sync
            default: return
            }
            var layer = HTTPSettings()
            layer.redirectLimit = 0
            let session = CommCareSession(
                CommCareSession.Settings(
                    url: "http://127.0.0.1:\(port)", domain: app, user: Identity.user,
                    password: Identity.password),
                state: state, manager: HTTPManager(layer)
            ) { _ in
            } progress: { _, _ in
            } askPassword: {
                nil
            }
            let outcome = try await session.run(work)
            guard outcome == .done else { throw .wrongState("\(outcome)") }
        } catch { throw CertificationError("the second device: \(error.reason)") }
    }
}
