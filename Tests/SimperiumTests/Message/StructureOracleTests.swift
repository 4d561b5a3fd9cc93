import Foundation
import Notation
import Simperium
import Testing
import Wire

/// Fields of commands as Foundation's JSON has them.
struct StructureOracleTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `agrees with Foundation`(seed: UInt64) throws {
        var generator = MessageGenerator(seed: seed &+ 1_000)
        generator.hasByteOrderMarks = false
        var compared = 0
        while compared < 60 {
            for sender in Peer.allCases {
                let message = generator.message(by: sender)
                // Free text that may happen to be JSON.
                if case .changesSince = message.body { continue }
                var bytes = message.encoded(by: sender)
                let command = SimperiumCommand.parse(bytes, from: sender)
                guard let place = bytes[command.payload].firstIndex(of: 0x7B) ?? nil,
                    let document = try? JSONDocument.scan(bytes, in: place..<bytes.count),
                    place == command.payload.lowerBound || bytes[place - 1] == 0x0A
                else { continue }
                // As Python writes it, with spaces and everything beyond ASCII escaped.
                let payload = JSONValue(document.root).bytes(generator.flip() ? .python : .compact)
                bytes = Array(bytes[..<place]) + payload
                let again = SimperiumCommand.parse(bytes, from: sender)
                let read = try #require(SimperiumMessage(again, in: bytes))
                #expect(read == message)
                let foundation = try #require(
                    try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
                compare(read.body, foundation)
                compared += 1
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `agrees with Foundation about arrays of changes`(seed: UInt64) throws {
        var generator = MessageGenerator(seed: seed &+ 2_000)
        generator.hasByteOrderMarks = false
        var compared = 0
        while compared < 60 {
            let message = generator.message(by: .server)
            guard case .changes(let changes) = message.body else { continue }
            let bytes = message.encoded(by: .server)
            let command = SimperiumCommand.parse(bytes, from: .server)
            let array = try #require(
                try JSONSerialization.jsonObject(with: Data(bytes[command.payload]))
                    as? [[String: Any]])
            #expect(array.count == changes.count)
            let read = try #require(SimperiumMessage(command, in: bytes))
            guard case .changes(let again) = read.body else { throw Unexpected() }
            for (change, object) in zip(again, array) { compare(change, object) }
            compared += 1
        }
    }

    private func compare(_ body: SimperiumBody<JSONValue>, _ object: [String: Any]) {
        switch body {
        case .initialize(let request):
            #expect(same(request.bucket, object["name"]))
            #expect(same(request.clientID, object["clientid"]))
            #expect(same(request.token, object["token"]))
            #expect(same(request.app, object["app_id"]))
            #expect(same(request.command, object["cmd"]))
            #expect(same(request.username, object["username"]))
        case .auth(.refused(let code, let message)):
            #expect(code == object["code"] as? Int)
            #expect(same(message, object["msg"]))
        case .indexPage(let page):
            #expect(same(page.current, object["current"]))
            #expect(same(page.mark, object["mark"]))
            #expect(page.count == object["count"] as? Int)
            compare(page.entries, object["index"])
        case .indexState(let state):
            #expect(same(state.current, object["current"]))
            #expect(same(state.extra, object["extra"]))
            compare(state.entries, object["index"])
            let pending = object["pending"] as? [[String: Any]] ?? []
            #expect(pending.count == state.pending.count)
            for (change, object) in zip(state.pending, pending) {
                #expect(same(change.key, object["id"]))
                #expect(change.sv == object["sv"] as? Int64)
                #expect(same(change.ccid, object["ccid"]))
            }
        case .entity(let reply): #expect(same(reply.data, object["data"]))
        case .changes(let changes):
            #expect(changes.count == 1)
            for change in changes { compare(change, object) }
        case .log(let log): #expect(same(log.text, object["log"]))
        case .options(let options):
            #expect(options.exposesNamespace == object["expose_namespace"] as? Bool)
            #expect(same(options.namespace, object["namespace"]))
        default: Issue.record("no JSON belongs here")
        }
    }

    private func compare(_ change: SimperiumChange<JSONValue>, _ object: [String: Any]) {
        #expect(same(change.key, object["id"]))
        #expect(same(change.operation?.text, object["o"]))
        #expect(change.sv == object["sv"] as? Int64)
        #expect(change.ev == object["ev"] as? Int64)
        #expect(same(change.cv, object["cv"]))
        #expect(same(change.clientID, object["clientid"]))
        #expect(change.error == object["error"] as? Int)
        #expect(same(change.value, object["v"]))
        #expect(same(change.data, object["d"]))
        let identifiers =
            object["ccids"] as? [String] ?? [object["ccid"] as? String].compactMap { $0 }
        #expect(change.ccids == identifiers)
    }

    private func compare(_ entries: [IndexPage<JSONValue>.Entry], _ array: Any?) {
        let objects = array as? [[String: Any]] ?? []
        #expect(objects.count == entries.count)
        for (entry, object) in zip(entries, objects) {
            #expect(same(entry.key, object["id"]))
            #expect(entry.version == object["v"] as? Int64)
            #expect(same(entry.data, object["d"]))
        }
    }

    private func same(_ text: String?, _ value: Any?) -> Bool {
        text.map { Array($0.utf16) } == (value as? String).map { Array($0.utf16) }
    }

    private func same(_ value: JSONValue?, _ other: Any?) -> Bool {
        guard let value, let other else { return value == nil && other == nil }
        switch value {
        case .null: return other is NSNull
        case .bool(let flag): return other as? Bool == flag
        case .number(let text): return (other as? NSNumber)?.doubleValue == Double(text)
        case .string(let text): return same(text, other)
        case .array(let elements):
            guard let others = other as? [Any], others.count == elements.count else { return false }
            return zip(elements, others).allSatisfy { same($0, $1) }
        case .object(let object):
            guard let others = other as? [String: Any], others.count == object.members.count else {
                return false
            }
            return object.members.allSatisfy { same($0.value, others[$0.key.string]) }
        }
    }
}
