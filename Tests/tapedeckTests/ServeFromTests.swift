import ConvergenceWorld
import Formats
import Foundation
import Notation
import OpenRosa
import Replaying
import Serving
import Testing
import Trace
import Wire

@testable import FaultWorld
@testable import Sessions
@testable import Simperium
@testable import SyncServers
@testable import TraceWorld

/// What `serve --from` serves against `tapedeck state`, at many points of many traces.
@Suite struct ServeFromTests {
    /// Servers that begin at a point in time, and the state of the trace there.
    private struct Begun {
        let state: SessionState
        let holdings: ServerHoldings
        var simperium: SimperiumServer
        var commCare: CommCareServer
        var random = SplitMix64(seed: 5)

        init(_ reader: StateReader, _ moment: StateMoment) throws {
            state = try SessionStateReading.read(reader, upto: moment).state
            holdings = try HoldingsReading.read(reader, upto: moment).holdings
            let initial = InitialState(holdings, accounts: .open, now: 1_000)
            simperium = SimperiumServer(accounts: initial.accounts)
            simperium.seed(&random)
            simperium.begin(with: initial)
            commCare = CommCareServer(accounts: initial.accounts)
            commCare.domains = initial.domains
        }

        /// The objects, as a client reads them in the index, with the change version.
        mutating func index(
            _ bucket: ServerHoldings.Bucket, token: String
        ) -> (current: String?, objects: [ExactText: ClientBucket.Ghost]) {
            simperium.open(1, app: bucket.app)
            defer { simperium.close(1) }
            var objects: [ExactText: ClientBucket.Ghost] = [:]
            var current: String?
            var mark: String?
            let opening =
                "0:init:{\"clientid\":\"new\",\"api\":\"1.1\",\"token\":\"\(token)\",\"app_id\":"
                + "\"\(bucket.app)\",\"name\":\"\(bucket.name)\",\"library\":\"x\",\"version\":\"1\"}"
            _ = simperium.receive(Array(opening.utf8), from: 1, random: &random)
            repeat {
                let request = "0:i:1:\(mark ?? "")::50"
                let replies = simperium.receive(Array(request.utf8), from: 1, random: &random)
                guard let text = replies.first?.bytes else { return (nil, [:]) }
                let command = SimperiumCommand.parse(text, from: .server)
                guard case .indexPage(let page) = SimperiumMessage(command, in: text)?.body else {
                    return (nil, [:])
                }
                for entry in page.entries {
                    guard let key = entry.key, let version = entry.version, let data = entry.data
                    else { continue }
                    objects[ExactText(key)] = .init(version: version, data: data)
                }
                current = current ?? page.current
                mark = page.mark
            } while mark != nil
            return (current, objects)
        }

        /// A restore, as a device asks for it.
        mutating func restore(_ project: String, _ user: String, _ query: String) -> ServedAnswer? {
            var request = ServedRequest(
                "GET", "/a/\(project)/phone/restore/?version=2.0\(query)")
            request.fields.append(
                .init(
                    "Authorization", BasicCredentials(user: user, password: "x").authorization))
            return commCare.answer(request, now: 2_000, random: &random)
        }
    }

    /// Points in time: after each row, or after every tenth where there are many.
    private func moments(of reader: StateReader) throws -> [StateMoment] {
        var all: [StateMoment] = []
        try reader.entries(upto: .end) { entry in
            switch entry {
            case .command(let row): all.append(.command(row.id))
            case .exchange(let row): all.append(.exchange(row.id))
            case .ended: break
            }
        }
        let step = all.count < 60 ? 1 : 10
        return stride(from: 0, to: all.count, by: step).map { all[$0] } + [.end]
    }

    /// Compares at many points in time, and answers how many buckets and projects were compared.
    private func compare(_ path: String, _ what: String) throws -> Int {
        let reader = try StateReader(path: path)
        var count = 0
        for moment in try moments(of: reader) {
            guard var begun = try? Begun(reader, moment) else {
                // There is none as long as no server took anybody in.
                let state = try SessionStateReading.read(reader, upto: moment).state
                #expect(state.buckets.allSatisfy { $0.objects.isEmpty }, "\(what) \(moment)")
                #expect(state.domains.isEmpty, "\(what) \(moment)")
                continue
            }
            count += try compareBuckets(&begun, "\(what) \(moment)")
            count += compareProjects(&begun, "\(what) \(moment)")
        }
        return count
    }

    private func compareBuckets(_ begun: inout Begun, _ what: String) throws -> Int {
        var count = 0
        for held in begun.holdings.buckets {
            let state = try #require(
                begun.state.allBuckets.first {
                    $0.app == held.app && $0.name == held.name && $0.user == held.user
                })
            guard
                let token = begun.holdings.tokens.first(where: {
                    $0.app == held.app && $0.user == held.user
                })?.token
            else { continue }
            let (current, objects) = begun.index(held, token: token)
            #expect(state.cv == nil || current == state.cv, "\(what)")
            let missing = state.objects.filter { held.unknown[$0.key] == nil }
            #expect(Set(objects.keys) == Set(missing.keys), "\(what)")
            for (key, object) in missing {
                #expect(objects[key]?.version == object.version, "\(what): \(key)")
                if let data = object.value {
                    #expect(objects[key]?.data.isSame(as: data) == true, "\(what): \(key)")
                }
            }
            count += 1
        }
        return count
    }

    private func compareProjects(_ begun: inout Begun, _ what: String) -> Int {
        for project in begun.holdings.projects {
            let state = begun.state.domains[project.name]?.cases
            let served = begun.commCare.domains[project.project]
            // A project of which only refused forms were seen has no state yet.
            #expect(served?.set.cases == state?.cases ?? [:], "\(what)")
        }
        for user in begun.state.users {
            guard let name = user.user, let token = user.server.syncToken,
                let log = user.server.log
            else { continue }
            let project = user.domain.split(separator: "/").last.map(String.init) ?? ""
            let query = "&since=\(token)&state=\(log.stateHash)"
            #expect(begun.restore(project, name, query)?.status == 200, "\(what)")
            let wrong = "&since=\(token)&state=ccsh:\(String(repeating: "1", count: 32))"
            #expect(begun.restore(project, name, wrong)?.status == 412, "\(what)")
        }
        return begun.holdings.projects.count
    }

    @Test func `is what the state says of the recordings`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardized
        let kept = root.appendingPathComponent("Recordings")
        var folders = try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted()
            .filter { !$0.contains(".") }.map { kept.appendingPathComponent($0) }
        folders.append(root.appendingPathComponent("Tests/FormatsTests/Recordings/FirstVersion"))
        let world = try TraceWorld()
        var count = 0
        for folder in folders {
            let path = world.path("\(folder.lastPathComponent).tape")
            try RecordingImport.run(from: folder.path, to: path)
            count += try compare(path, folder.lastPathComponent)
        }
        #expect(count > 60)
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `is what the state says of clinics`(seed: UInt64) throws {
        let trace = try SmallTrace()
        var clinic = Clinic(trace, seed: seed)
        for _ in 0..<30 { clinic.step() }
        trace.finish()
        #expect(try compare(trace.path, "seed \(seed)") > 10)
    }

    @Test(arguments: [
        "", "command:c sender:server => drop", "command:{i,e,cv} => reorder",
        "command:c sender:client => repeat",
    ])
    func `is what the state says of sessions with faults`(rule: String) throws {
        var scene = try FaultScene(
            seed: 3, rules: rule.isEmpty ? [] : [rule], edits: 30, cuts: 2)
        _ = scene.play()
        let world = try TraceWorld()
        let writer = try TraceWriter(
            path: world.path("a.tape"),
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: 0))
        for record in scene.records { _ = writer.put([record]) }
        writer.finish()
        #expect(try compare(world.path("a.tape"), rule) > 10)
    }
}
