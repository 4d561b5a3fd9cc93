import Certification
import Foundation
import HTTPLayer
import Notation
import Simperium
import SyncClients
import Synchronization

/// Another client of the same user, connected directly to the server: it creates data before a
/// scenario begins, and changes it meanwhile.
enum SecondClient {
    /// Nanoseconds that a step may take.
    private static let patience: Int64 = 20_000_000_000

    /// Runs `steps` against the server of a scenario.
    static func act(
        _ steps: [Step], suite: Suite, at place: SecondPlace
    ) async throws(CertificationError) {
        switch suite.name {
        case .simperium:
            _ = try await simperium(Scenario.text(steps, bucket: Suite.bucket), suite.app, place)
        case .commcare:
            for step in steps { try await commCare(step, suite.app, place) }
        }
    }

    /// What another client sees that had nothing so far: of the objects of these keys.
    static func look(
        _ keys: [String], suite: Suite, at place: SecondPlace
    ) async throws(CertificationError) -> EndState.View {
        switch suite.name {
        case .simperium:
            let lines = keys.map { "print \(Suite.bucket) \($0)\n" }.joined()
            let seen = try await simperium("wait synced\n" + lines, suite.app, place)
            var view = EndState.View()
            for (key, text) in zip(keys, seen) {
                guard !text.isEmpty, let data = try? JSONValue(parsing: text) else { continue }
                view.objects[key] = data
            }
            return view
        case .commcare:
            let folder = "\(place.folder)/third-device-\(place.looks)"
            try await commCare(
                .sync(isAutomatic: false), suite.app, place, folder: folder)
            do throws(CommCareClientError) {
                let state = try CommCareState(folder: folder, deviceID: "certify-third-device")
                return EndState.View(cases: Set(try state.caseIDs()))
            } catch { throw CertificationError("the second device: \(error)") }
        }
    }

    /// Runs a script to its end.
    ///
    /// - Returns: The lines that it prints.
    private static func simperium(
        _ text: String, _ app: String, _ place: SecondPlace
    ) async throws(CertificationError) -> [String] {
        let script: SimperiumScript
        do {
            script = try SimperiumScript(parsing: text, buckets: [Suite.bucket])
        } catch { throw CertificationError("line \(error.line): \(error.reason)") }
        var settings = SimperiumClient.Settings(
            target: SimperiumTarget(host: "127.0.0.1", port: place.port), app: app,
            buckets: [Suite.bucket])
        settings.token = place.identity.token
        let lines = PrintedLines()
        let outcome: SimperiumOutcome
        do {
            outcome = try await SimperiumClient(settings).run(
                SimperiumScriptRunner(script, patience: patience)
            ) { line in
                lines.all.withLock { $0.append(line) }
            } say: { _ in
            }
        } catch { throw CertificationError("the second client: \(error.reason)") }
        guard outcome == .done else { throw CertificationError("the second client: \(outcome)") }
        return lines.all.withLock { $0 }
    }

    /// The lines that a script prints.
    private final class PrintedLines: Sendable {
        let all = Mutex<[String]>([])
    }

    private static func commCare(
        _ step: Step, _ app: String, _ place: SecondPlace, folder: String? = nil
    ) async throws(CertificationError) {
        let work: CommCareClient.Work
        do throws(CommCareClientError) {
            let state = try CommCareState(
                folder: folder ?? "\(place.folder)/second-device",
                deviceID: folder == nil ? "certify-second-device" : "certify-third-device")
            switch step {
            case .submit(let name, let files, _):
                let xml = [UInt8](
                    FileManager.default.contents(atPath: "\(place.folder)/\(name)") ?? Data())
                _ = try state.add(
                    try CommCareForm(
                        xml: xml, filename: name,
                        attachments: files.map { .init(name: $0, path: "\(place.folder)/\($0)") }))
                work = .submit
            case .sync: work = .sync
            default: return
            }
            var layer = HTTPSettings()
            layer.redirectLimit = 0
            let session = CommCareSession(
                CommCareSession.Settings(
                    url: "http://127.0.0.1:\(place.port)", domain: app, user: Identity.user,
                    password: place.identity.password),
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
