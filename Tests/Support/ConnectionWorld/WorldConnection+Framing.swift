import Dissection
import Framing
import Wire

@testable import Proxying

extension WorldConnection {
    /// Says where the relay and the rows have found other ends of messages in the same bytes.
    ///
    /// Only while all that the relay was given is recorded, and nothing of a head is held. What
    /// follows a request for another protocol has rows once that is answered, and nothing is known
    /// of answers that nobody is owed, or to requests that were forwarded unframed since a head was overdue.
    func difference(from rows: HTTPFraming?) -> String? {
        guard judge == nil, !plan.isWeak, case .http = relay.phase, let rows,
            rows.isComplete, relay.clientEnds == .neither
        else { return nil }
        if relay.scan.holdsNothing, relay.blocked == nil, relay.backlog.isEmpty,
            rows.requests != .paused, relay.requests.stage != rows.requests
        {
            return "requests are at \(relay.requests.stage), their rows at \(rows.requests)"
        }
        guard let leg = relay.legs.first(where: { $0.id == rows.responseLeg }),
            relay.scan.isFramed, leg.scan.holdsNothing, !relay.outstanding.isEmpty,
            leg.ends == .neither,
            leg.responses.stage != rows.responses
        else { return nil }
        return "responses are at \(leg.responses.stage), their rows at \(rows.responses)"
    }
}
