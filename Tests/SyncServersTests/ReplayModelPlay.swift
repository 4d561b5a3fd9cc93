import Replaying
import Serving
import Wire

@testable import SyncServers

/// A server whose answers are recorded.
struct RecordingPlay: CommCareAnswering {
    var play: CommCarePlay
    private(set) var exchanges: [RecordedExchange] = []
    private(set) var messages: [ExchangeID: (request: ReplayMessage, response: ReplayMessage)] = [:]

    init(accounts: Accounts = .open) { play = CommCarePlay(accounts: accounts) }

    mutating func ask(
        _ method: String, _ target: String, _ fields: [(String, String)], body: [UInt8]
    ) -> ServedAnswer {
        let answer = play.ask(method, target, fields, body: body)
        add(method, target, fields, body, answer)
        return answer
    }

    mutating func add(
        _ method: String, _ target: String, _ fields: [(String, String)], _ body: [UInt8],
        _ answer: ServedAnswer
    ) {
        let id = ExchangeID(Int64(exchanges.count + 1))
        let request = ReplayPlay.request(method, target, fields, body)
        exchanges.append(
            RecordedExchange(
                id: id, method: method, host: "hq", path: request.path, query: request.query,
                status: answer.status))
        messages[id] = (
            request.message,
            ReplayMessage(
                fields: answer.fields.map { .init($0.name, $0.value) }, body: answer.body)
        )
    }

    /// A server that plays this, with a model for the rest.
    var replay: ReplayPlay { ReplayPlay(self) }
}

/// A recorded server, and the model where the recording has no answer.
struct ReplayPlay: CommCareAnswering {
    let recording: RecordingPlay
    var replay: HTTPReplay
    var model: ReplayModel
    var now: Int64 = 1_767_312_000
    /// Which answered: `recorded`, `again`, `model` or `nobody`.
    private(set) var sources: [String] = []

    init(_ recording: RecordingPlay) {
        self.recording = recording
        let messages = recording.messages
        let fetch: HTTPReplay.Fetch = { id, peer in
            peer == .client ? messages[id]?.request : messages[id]?.response
        }
        replay = HTTPReplay(recording.exchanges, fetch: fetch)
        model = ReplayModel(recording.exchanges, seed: 5, fetch: fetch)
    }

    static func request(
        _ method: String, _ target: String, _ fields: [(String, String)], _ body: [UInt8]
    ) -> ReplayRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return ReplayRequest(
            method: method, host: "hq", path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            message: ReplayMessage(fields: fields.map { .init($0.0, $0.1) }, body: body))
    }

    mutating func ask(
        _ method: String, _ target: String, _ fields: [(String, String)], body: [UInt8]
    ) -> ServedAnswer {
        let request = ServedRequest(
            method, target, fields: fields.map { .init($0.0, $0.1) }, body: body)
        if model.takes(request) { return give(model.answer(request, nil, now: now)) }
        switch replay.answer(Self.request(method, target, fields, body)) {
        case .recorded(let exchange):
            sources.append("recorded")
            let answer = recorded(exchange.id)
            model.played(exchange, request, answer: answer.body, now: now)
            return answer
        case .missed(let miss): return give(model.answer(request, miss, now: now))
        }
    }

    private mutating func give(_ answer: ReplayModel.Answer?) -> ServedAnswer {
        switch answer {
        case .again(let id):
            sources.append("again")
            return recorded(id)
        case .made(let answer):
            sources.append("model")
            return answer
        case nil:
            sources.append("nobody")
            return ServedAnswer(404)
        }
    }

    private func recorded(_ id: ExchangeID) -> ServedAnswer {
        let status = recording.exchanges.first { $0.id == id }?.status ?? 500
        let body = recording.messages[id]?.response.body ?? []
        return ServedAnswer(status, body: replay.rewritten(body) ?? body)
    }
}
