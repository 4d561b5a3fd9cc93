import Faults
import Reproduction
import Sessions
import SyncServers
import Synchronization
import Trace

extension RecordingSource {
    /// The traces of this machine, each read once.
    static let ofThisMachine: RecordingSource = {
        let shelf = RecordingShelf()
        return RecordingSource(
            open: { shelf.open($0) }, answer: { shelf.answer($0, to: $1) })
    }()
}

/// Traces that rules answer from, by their paths.
private final class RecordingShelf: Sendable {
    private let opened = Mutex<[String: RecordedAnswers]>([:])

    /// Reads the trace at a path; returns why it cannot be read.
    func open(_ path: String) -> String? {
        if opened.withLock({ $0[path] }) != nil { return nil }
        let answers: RecordedAnswers
        do {
            answers = try PatienceLine.during("reading \(path)") {
                let session = try RecordedSession(path: path)
                session.warning.map(StandardError.warn)
                return try RecordedAnswers(ReplaySource(session))
            }
        } catch let error as TraceError {
            return error.reason
        } catch {
            let most = RecordedAnswers.maximumBytes >> 20
            return "\(path) has more than \(most) MiB of requests and answers; record less of it"
        }
        return opened.withLock { opened in
            // Whoever opened it meanwhile has counted answers already.
            if opened[path] == nil { opened[path] = answers }
            return nil
        }
    }

    func answer(_ path: String, to request: RecordingSource.Request) -> RecordingSource.Answer {
        guard let answers = opened.withLock({ $0[path] }) else {
            return .missed("\(path) was not read when the rule was added")
        }
        let server = request.server.map { (host: $0.host, port: $0.port) }
        return
            switch answers.answer(
                request.head, body: request.content, server: server, isSecure: request.isClientTLS)
        {
        case .recorded(let bytes, let closes): .recorded(bytes, closes: closes)
        case .missed(let why): .missed(why)
        }
    }
}
