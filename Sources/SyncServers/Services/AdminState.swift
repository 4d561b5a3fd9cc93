internal import NIOCore
internal import Notation
internal import Serving
internal import Simperium
internal import Wire

/// What the admin waits for, and what clients logged.
struct AdminState {
    /// The maximum number of answers that are waited for.
    private static let most = 1000
    /// Bytes of logs that are kept; the oldest go.
    private static let logBytes = 1 << 20
    /// How long a client's answer is waited for.
    private static let patience = TimeAmount.seconds(10)

    private struct Waiter {
        var connection: Int
        var channel: Int
        var promise: EventLoopPromise<ServedAnswer>
        var timer: Scheduled<Void>
        var deadline: NIODeadline
    }

    private var waiters: [Waiter] = []
    private var logs = CircularBuffer<(connection: Int, payload: [UInt8])>()
    private var logSize = 0

    /// Answers a question, now or when a client has answered.
    mutating func ask(
        _ question: AdminQuestion, _ promise: EventLoopPromise<ServedAnswer>,
        _ turn: inout SimperiumTurn, _ lines: [Int: SocketLine], _ loop: any EventLoop
    ) {
        switch question {
        case .connections: promise.succeed(Self.list(turn.server, lines))
        case .logs:
            let all = logs.map { log in
                Self.object([
                    ("connection", .number(String(log.connection))),
                    ("log", Self.value(log.payload)),
                ])
            }
            promise.succeed(.json(200, JSONValue.array(all).text()))
        case .log(let connection, let level):
            let replies = turn.server.askForLog(connection, level: level)
            turn.replies += replies
            promise.succeed(
                replies.isEmpty ? .text(404, "There is no such connection") : ServedAnswer(204))
        case .index(let connection, let channel):
            let replies = turn.server.askForIndex(connection, channel: channel)
            waiters.removeAll { $0.deadline < .now() }
            guard !replies.isEmpty, waiters.count < Self.most else {
                promise.succeed(.text(404, "There is no such channel"))
                return
            }
            turn.replies += replies
            let timer = loop.scheduleTask(in: Self.patience) {
                promise.succeed(.text(504, "The client did not answer"))
            }
            waiters.append(
                Waiter(
                    connection: connection, channel: channel, promise: promise, timer: timer,
                    deadline: .now() + Self.patience))
        }
    }

    /// Passes on what clients answered.
    mutating func take(
        _ reports: [SimperiumServer.Report], _ server: SimperiumServer, _ lines: [Int: SocketLine]
    ) {
        for report in reports {
            switch report {
            case .log(let connection, let payload):
                logs.append((connection, payload))
                logSize += payload.count
                while logSize > Self.logBytes, let oldest = logs.popFirst() {
                    logSize -= oldest.payload.count
                }
            case .index(let connection, let channel, let payload):
                let bucket = server.peers[connection]?.channels[channel]?.bucket.name ?? ""
                let answer = Self.object([
                    ("connection", .number(String(connection))),
                    ("channel", .number(String(channel))), ("bucket", .string(bucket)),
                    ("state", Self.value(payload)),
                ])
                finish(.json(200, answer.text())) {
                    $0.connection == connection && $0.channel == channel
                }
            }
        }
    }

    /// A connection was closed, and no answer will arrive from it.
    mutating func forget(_ connection: Int) {
        finish(.text(404, "The connection ended without an answer")) {
            $0.connection == connection
        }
    }

    private mutating func finish(_ answer: ServedAnswer, where isMeant: (Waiter) -> Bool) {
        for waiter in waiters where isMeant(waiter) {
            waiter.timer.cancel()
            waiter.promise.succeed(answer)
        }
        waiters.removeAll(where: isMeant)
    }

    private static func list(
        _ server: SimperiumServer, _ lines: [Int: SocketLine]
    ) -> ServedAnswer {
        let all = server.peers.sorted { $0.key < $1.key }.map { number, peer in
            let channels = peer.channels.sorted { $0.key < $1.key }.map { channel, open in
                object([
                    ("channel", .number(String(channel))), ("bucket", .string(open.bucket.name)),
                    ("app", .string(open.bucket.app)), ("user", .string(open.user)),
                    ("clientid", .string(open.client)),
                ])
            }
            return object([
                ("connection", .number(String(number))),
                ("peer", .string(lines[number]?.peer ?? "")),
                ("transport", .string(lines[number]?.endpoint.transport.rawValue ?? "")),
                ("channels", .array(channels)),
            ])
        }
        return .json(200, JSONValue.array(all).text())
    }

    /// What a client sent: JSON as it is, anything else as a string.
    private static func value(_ payload: [UInt8]) -> JSONValue {
        let text = String(decoding: payload, as: UTF8.self)
        return (try? JSONValue(parsing: text)) ?? .string(text)
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }
}
