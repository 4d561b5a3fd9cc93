internal import Notation
internal import Simperium
internal import Wire

extension Harness {
    static let simperium: [Harness] = [command, delta, apply, replay]

    /// Parses a message as a command of either peer.
    private static let command = Harness(name: "command") { bytes in
        for sender in [Peer.client, .server] {
            let command = SimperiumCommand.parse(bytes, from: sender)
            demand(
                command.payload.upperBound == bytes.count && command.payload.lowerBound >= 0,
                "the payload goes to the end of the message")
            demand(
                command.problem != nil || command.body != nil,
                "what cannot be read has a problem")
            demand(
                command == SimperiumCommand.parseNoting(bytes, from: sender),
                "read in either way it is the same")
            for note in command.notes {
                demand((0...bytes.count).contains(note.offset), "\(note) is inside the message")
                _ = note.detail
            }
            guard case .changes(let changes) = command.body else { continue }
            for change in changes {
                for range in [change.value, change.data].compactMap(\.self) {
                    demand(
                        (try? JSONDocument.scan(bytes, in: range)) != nil,
                        "the value of a change is JSON")
                }
            }
            _ = (command.key, command.cv, command.error)
        }
        _ = SimperiumCommand.looksLikeSimperium(bytes)
    }

    /// Reads the first line as a delta and applies it to the rest.
    private static let delta = Harness(name: "delta") { bytes in
        let lines = Input.lines(bytes, most: 2)
        let text = String(decoding: lines[0], as: UTF8.self)
        let base = lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : ""
        guard let delta = try? StringDelta(parsing: text) else { return }
        _ = delta.splitsPair(of: base)
        var kept = 0
        for case .keep(let count) in delta.steps { kept += count }
        var inserted = 0
        for case .insert(let piece) in delta.steps { inserted += piece.utf16.count }
        do throws(DeltaError) {
            let result = try delta.apply(to: base)
            demand(result.utf16.count == kept + inserted, "the length is what the steps say")
        } catch {
            if case .length = error { return }
            demand(delta.length == base.utf16.count, "only the length is wrong with \(error)")
        }
    }

    /// Applies the map of operations in the second line to the object in the first.
    private static let apply = Harness(name: "apply") { bytes in
        let lines = Input.lines(bytes, most: 2)
        guard lines.count == 2, let base = try? JSONDocument.scan(lines[0]).root,
            let operations = try? JSONDocument.scan(lines[1]).root
        else { return }
        let object = JSONValue(base)
        let map = JSONValue(operations)
        for line in ChangeDescription.describe(map, base: object) {
            demand(!line.isEmpty, "a line of the description says something")
        }
        do throws(DiffError) {
            let result = try JSONDiff.apply(map, to: object)
            demand(result.kind == object.kind, "it stays what it was")
            guard case .object(let members) = map, members.members.isEmpty else { return }
            demand(result == object, "no operation changes nothing")
        } catch {
            _ = "\(error)"
        }
    }

    /// Folds commands, a line each, into what is known of a bucket.
    private static let replay = Harness(name: "replay", longest: 16_384) { bytes in
        let limits = Ledger.Limits(objects: 4, bytes: 2000, work: 1 << 20)
        var ledger = Ledger(limits: limits)
        for line in Input.messages(bytes, most: 200) {
            guard let mark = line.first else { continue }
            let message = Array(line.dropFirst())
            let sender = mark == UInt8(ascii: ">") ? Peer.client : .server
            let command = SimperiumCommand.parse(message, from: sender)
            if case .changes(let changes) = command.body {
                for change in changes { _ = ledger.base(of: change) }
            }
            ledger.see(command, in: message)
            demand(
                ledger.count <= limits.objects && ledger.bytes <= limits.bytes && ledger.bytes >= 0,
                "what is kept is within its limits")
            demand(ledger.count > 0 || ledger.bytes == 0, "nothing takes no bytes")
        }
    }
}
