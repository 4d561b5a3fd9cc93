import Replaying
import Wire

/// A recorded exchange with what was recorded of it.
struct Recorded {
    var exchange: RecordedExchange
    var recording: HTTPRecording

    /// Made of short texts, such as `GET /path?query` and `Name: value`.
    init(
        _ id: Int64, _ line: String, host: String = "old.example", fields: [String] = [],
        body: String = "", status: Int?, answerFields: [String] = [], answer: String = ""
    ) {
        let words = line.split(separator: " ")
        let target = words[1].split(separator: "?", maxSplits: 1)
        exchange = RecordedExchange(
            id: ExchangeID(id), method: String(words[0]), host: host,
            path: String(target[0]), query: target.count > 1 ? String(target[1]) : nil,
            status: status)
        recording = HTTPRecording(
            request: textMessage(["Host: \(host)"] + fields, body),
            response: status == nil ? nil : textMessage(answerFields, answer))
    }
}

func textMessage(_ fields: [String], _ body: String = "") -> ReplayMessage {
    ReplayMessage(
        fields: fields.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return .init(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }, body: bytes(body))
}

extension HTTPPlayAnswer {
    /// An answer made of short texts.
    static func text(_ status: Int, _ fields: [String] = [], _ body: String = "") -> Self {
        HTTPPlayAnswer(status, textMessage(fields, body))
    }
}

/// Plays exchanges one after the other to a server that is a function, in time of its own.
struct HTTPWorld {
    var play: HTTPPlay
    var identity: ReplayIdentity
    var now: Instant = .zero
    /// What was sent, in order.
    var sent: [HTTPPlayRequest] = []

    init(
        _ recorded: [Recorded], seed: UInt64 = 1, isVerbatim: Bool = false,
        _ change: (inout HTTPPlayOptions) -> Void = { _ in }
    ) {
        var options = HTTPPlayOptions { $0 == "unknown.example" ? nil : "http://new.example:81" }
        change(&options)
        play = HTTPPlay(recorded.map(\.exchange), options: options)
        identity = ReplayIdentity(seed: seed, isVerbatim: isVerbatim)
    }

    /// Plays an exchange; each request takes a second.
    mutating func run(
        _ recorded: Recorded, _ server: (HTTPPlayRequest) -> HTTPPlayAnswer
    ) -> PlayedExchange {
        var turn = play.turn(recorded.exchange, recorded.recording)
        var event = HTTPPlay.Event.begin
        while true {
            switch play.handle(event, of: &turn, now: now, &identity) {
            case .finish(let played): return played
            case .wait(let until):
                now = max(now, until)
                event = .due
            case .send(let request):
                sent.append(request)
                now = Instant(nanoseconds: now.nanoseconds + 1_000_000_000)
                event = .answered(server(request))
            }
        }
    }

    /// Plays an exchange to which the server says this.
    mutating func run(_ recorded: Recorded, _ answers: HTTPPlayAnswer...) -> PlayedExchange {
        var rest = answers[...]
        return run(recorded) { _ in
            rest.count > 1 ? rest.removeFirst() : rest.first ?? .text(599)
        }
    }

    /// The last request.
    var last: HTTPPlayRequest { sent[sent.count - 1] }
}

extension PlayedExchange {
    /// The places that differ.
    var places: [String] { differences.items.map(\.place) }
}
