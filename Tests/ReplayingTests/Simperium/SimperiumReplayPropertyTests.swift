import Notation
import Replaying
import Testing
import Wire

struct SimperiumReplayPropertyTests {
    /// The names that one run of a session goes by.
    private struct Names {
        var clients: [String]
        var keys: [String]
        var ccids: [String]
        var channels: [[Int]]
        var token: String

        init(_ random: inout SplitMix64, sockets: Int) {
            func names(_ count: Int) -> [String] { (0..<count).map { _ in random.name() } }
            clients = names(sockets)
            keys = names(400)
            ccids = names(400)
            token = random.name()
            channels = (0..<sockets).map { _ in
                Array(Array(0..<12).shuffled(using: &random).prefix(4))
            }
        }
    }

    private typealias Text = (Names) -> String

    /// A command of a client on a channel, and what the server sends then to whom.
    private struct Step {
        var socket: Int
        var channel: Int
        var text: Text
        var replies: [(socket: Int, channel: Int, text: Text)] = []
        var isModification = false
    }

    private struct Session {
        var sockets: Int
        var steps: [Step] = []
        /// Whether the sockets are of several users; else they open alike, and are told apart by
        /// the order in which they do.
        var hasUsers: Bool

        init(_ random: inout SplitMix64) {
            sockets = 1 + random.below(3)
            hasUsers = random.chance(50)
            var open: [(socket: Int, channel: Int, bucket: String)] = []
            var rest: [(socket: Int, channel: Int, bucket: String)] = []
            for socket in 0..<sockets {
                for channel in 0..<(1 + random.below(3)) {
                    rest.append((socket, channel, ["note", "tag", "pref"][channel]))
                }
            }
            // Each socket opens one channel before anything else.
            for socket in 0..<sockets {
                let place = rest.firstIndex { $0.socket == socket } ?? 0
                open.append(rest[place])
                steps.append(opening(rest[place]))
                rest.remove(at: place)
            }
            var versions: [String: [(key: Int, version: Int)]] = [:]
            var number = 0
            for _ in 0..<(10 + random.below(60)) {
                number += 1
                if !rest.isEmpty, random.chance(20) {
                    let one = rest.remove(at: random.below(rest.count))
                    open.append(one)
                    steps.append(opening(one))
                    continue
                }
                let one = open[random.below(open.count)]
                let known = versions[one.bucket] ?? []
                let all = open.filter { $0.bucket == one.bucket }
                let serial = number
                switch random.below(5) {
                case 0:
                    steps.append(
                        Step(
                            socket: one.socket, channel: one.channel,
                            text: { _ in "cv:cv\(serial)" },
                            replies: [(one.socket, one.channel, { _ in "c:[]" })]))
                case 1 where !known.isEmpty:
                    let object = known[random.below(known.count)]
                    guard object.key % sockets == one.socket else { continue }
                    steps.append(
                        Step(
                            socket: one.socket, channel: one.channel,
                            text: { "e:\($0.keys[object.key]).\(object.version)" },
                            replies: [
                                (
                                    one.socket, one.channel,
                                    {
                                        let key = $0.keys[object.key]
                                        return
                                            "e:\(key).\(object.version)\n{\"data\": {\"me\": \"\(key)\"}}"
                                    }
                                )
                            ]))
                case 2 where !known.isEmpty:
                    let place = random.below(known.count)
                    let object = known[place]
                    // Who made an object changes it, so that its order is that of one channel.
                    guard object.key % sockets == one.socket else { continue }
                    versions[one.bucket]?[place].version += 1
                    let value = "{\"t\": {\"o\": \"r\", \"v\": \"value \(serial)\"}}"
                    steps.append(
                        Self.change(
                            one, to: all, key: object.key, serial, sv: object.version, value: value)
                    )
                default:
                    let key = serial * sockets + one.socket
                    guard key < 400 else { continue }
                    versions[one.bucket, default: []].append((key, 1))
                    steps.append(
                        Self.change(one, to: all, key: key, serial, sv: nil, value: nil))
                }
            }
        }

        private func opening(_ one: (socket: Int, channel: Int, bucket: String)) -> Step {
            let user = hasUsers ? "user \(one.socket)" : "user"
            return Step(
                socket: one.socket, channel: one.channel,
                text: {
                    "init:{\"name\":\"\(one.bucket)\",\"clientid\":\"\($0.clients[one.socket])\","
                        + "\"token\":\"\($0.token)\",\"app_id\":\"app\",\"api\":\"1.1\","
                        + "\"username\":\"\(user)\",\"cmd\":\"i::::5\"}"
                },
                replies: [
                    (one.socket, one.channel, { _ in "auth:me" }),
                    (
                        one.socket, one.channel,
                        { _ in "i:{\"current\": \"0\", \"index\": [{\"id\": \"fixed\", \"v\": 1}]}"
                        }
                    ),
                ])
        }

        private static func change(
            _ one: (socket: Int, channel: Int, bucket: String),
            to all: [(socket: Int, channel: Int, bucket: String)], key: Int, _ serial: Int,
            sv: Int?, value: String?
        ) -> Step {
            func body(_ names: Names) -> String {
                let value = value ?? "{\"me\": {\"o\": \"+\", \"v\": \"\(names.keys[key])\"}}"
                return "\"id\":\"\(names.keys[key])\",\"o\":\"M\",\"v\":\(value)"
                    + (sv.map { ",\"sv\":\($0)" } ?? "")
            }
            return Step(
                socket: one.socket, channel: one.channel,
                text: { "c:{\(body($0)),\"ccid\":\"\($0.ccids[serial])\"}" },
                replies: all.map { target in
                    (
                        target.socket, target.channel,
                        {
                            "c:[{\(body($0)), \"ev\":\((sv ?? 0) + 1), \"cv\": \"v\(serial)\", "
                                + "\"clientid\": \"\($0.clients[one.socket])\", "
                                + "\"ccids\": [\"\($0.ccids[serial])\"]}]"
                        }
                    )
                }, isModification: sv != nil)
        }

        /// The recording of the session under these names.
        func script(_ names: Names) -> Script {
            var script = Script([])
            for (index, step) in steps.enumerated() {
                let channel = names.channels[step.socket][step.channel]
                script.add("\(step.socket + 1)> \(channel):\(step.text(names))")
                for reply in step.replies {
                    let channel = names.channels[reply.socket][reply.channel]
                    script.add("\(reply.socket + 1)< \(channel):\(reply.text(names))")
                }
                if index % 7 == 3 { script.add("1> h:\(index)") }
            }
            return script
        }

        /// The steps in another order: sockets open first, then each channel for itself as it was.
        func order(_ random: inout SplitMix64) -> [Int] {
            var queues: [[Int]] = []
            var places: [[Int]: Int] = [:]
            for (index, step) in steps.enumerated() where index >= sockets {
                let key = [step.socket, step.channel]
                if places[key] == nil {
                    places[key] = queues.count
                    queues.append([])
                }
                queues[places[key] ?? 0].append(index)
            }
            var output = Array(0..<sockets)
            if hasUsers { output.shuffle(using: &random) }
            while !queues.isEmpty {
                let place = random.below(queues.count)
                output.append(queues[place].removeFirst())
                if queues[place].isEmpty { queues.remove(at: place) }
            }
            return output
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a session under other names matches, and every answer bears them`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let session = Session(&random)
        let recorded = Names(&random, sockets: session.sockets)
        let live = Names(&random, sockets: session.sockets)
        var replay = session.script(recorded).replay(waitsForAbsent: true)
        var received: [[Int]: [String]] = [:]
        for index in session.order(&random) {
            let step = session.steps[index]
            let channel = live.channels[step.socket][step.channel]
            let text = "\(channel):\(step.text(live))"
            for command in replay.handle(
                .received(socket: step.socket, text: bytes(text)), at: second(Double(index)))
            {
                guard case .send(let sending) = command else {
                    Issue.record("\(text): \(replay.misses.map(\.description))")
                    return
                }
                let text = string(sending.text)
                received[[sending.socket, Int(text.prefix { $0 != ":" }) ?? -1], default: []]
                    .append(text)
            }
        }
        var expected: [[Int]: [String]] = [:]
        for step in session.steps {
            for reply in step.replies {
                let channel = live.channels[reply.socket][reply.channel]
                expected[[reply.socket, channel], default: []]
                    .append("\(channel):\(reply.text(live))")
            }
        }
        #expect(Set(received.keys) == Set(expected.keys))
        for (place, texts) in expected {
            let came = received[place] ?? []
            #expect(came.count == texts.count)
            // One line tells more than two whole sessions.
            let first = zip(came, texts).first { $0 != $1 }
            #expect(first?.0 == first?.1)
        }
        #expect(replay.unused == 0)
        #expect(replay.section().missed == 0)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `one changed value is missed exactly there`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let session = Session(&random)
        let modifications = session.steps.indices.filter { session.steps[$0].isModification }
        guard !modifications.isEmpty else { return }
        let changed = modifications[random.below(modifications.count)]
        let recorded = Names(&random, sockets: session.sockets)
        let live = Names(&random, sockets: session.sockets)
        let order = session.order(&random)
        for mode in [SimperiumReplay.Mode.strict, .lenient] {
            var replay = session.script(recorded).replay(mode, waitsForAbsent: true)
            for index in order where !replay.isStopped {
                let step = session.steps[index]
                var text = "\(live.channels[step.socket][step.channel]):\(step.text(live))"
                if index == changed { text = text.replacing("value ", with: "other ") }
                let before = replay.missed
                _ = replay.handle(
                    .received(socket: step.socket, text: bytes(text)), at: second(Double(index)))
                #expect((replay.missed > before) == (index == changed), "\(text)")
            }
            #expect(replay.missed == 1)
            if mode == .lenient { #expect(replay.unused == 1) }
            let miss = try #require(replay.misses.first)
            #expect(miss.reason == .different)
            let differences = try #require(miss.candidate).differences.items
            #expect(differences.map(\.place) == ["JSON /v/t/v"])
            #expect(differences.first?.live?.contains("other") == true)
        }
    }
}
