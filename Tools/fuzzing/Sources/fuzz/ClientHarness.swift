internal import Notation
internal import Simperium
internal import Wire

extension Harness {
    /// Lets happen to a client what is in the lines; the first byte of a line says what.
    static let client = Harness(name: "client", longest: 8192) { bytes in
        let settings = ClientBucket.Settings(bucket: "b", app: "a", clientID: "c")
        var client = ClientBucket(settings: settings, token: "t", seed: 1)
        var saved = ClientBucket.Saved()
        var now: Int64 = 0
        for line in Input.messages(bytes, most: 100) {
            guard let mark = line.first, let event = event(mark, Array(line.dropFirst())) else {
                continue
            }
            now += mark == UInt8(ascii: "t") ? 30_000_000_000 : 1_000_000
            var commands: [ClientBucket.Command] = []
            client.handle(event, at: Instant(nanoseconds: now), into: &commands)
            for command in commands {
                switch command {
                case .save(let saving): saved.apply(saving)
                case .send(let message):
                    let written = message.encoded(by: .client)
                    demand(
                        SimperiumCommand.parse(written, from: .client).problem == nil,
                        "what a client says can be read: "
                            + String(decoding: written, as: UTF8.self))
                default: break
                }
            }
        }
        // What was saved is enough to go on with.
        client = ClientBucket(restoring: saved, settings: settings, token: "t", seed: 2)
        var commands: [ClientBucket.Command] = []
        client.handle(.opened, at: Instant(nanoseconds: now), into: &commands)
    }

    private static func event(_ mark: UInt8, _ rest: [UInt8]) -> ClientBucket.Event? {
        switch mark {
        case UInt8(ascii: "<"):
            let command = SimperiumCommand.parse(rest, from: .server)
            return SimperiumMessage(command, in: rest).map { .received($0) }
        case UInt8(ascii: "e"):
            guard let object = try? JSONDocument.scan(rest).root, object.kind == .object else {
                return nil
            }
            return .edited(key: object["key"]?.string ?? "n1", data: JSONValue(object))
        case UInt8(ascii: "r"): return .removed(key: String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: "d"): return .discarded(key: String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: "x"): return .emptied
        case UInt8(ascii: "o"): return .opened
        case UInt8(ascii: "c"): return .closed
        case UInt8(ascii: "k"): return .token("t2")
        case UInt8(ascii: "t"): return .timePassed
        default: return nil
        }
    }
}
