import Filters
import Inspection
import Trace
import Wire

/// What `show` prints of a row, whatever it is.
struct RowPage {
    let reader: TraceReader
    let times: PageTimes
    /// The objects before commands, where these are shown in their order.
    var objects: FollowedObjects?

    /// The page; nil where there is no such row.
    ///
    /// - Throws: ``Failure`` where the trace cannot be read.
    func text(_ row: RowName) throws(Failure) -> String? {
        switch row {
        case .connection(let id):
            let detail = try reader.reading { r throws(TraceError) in try r.connection(id) }
            return detail.map { ConnectionPage.text($0, times) }
        case .line(let place):
            return try text(place)
        }
    }

    private func text(_ place: LinePlace) throws(Failure) -> String? {
        switch place.subject {
        case .exchange:
            let detail = try reader.reading { r throws(TraceError) in
                try r.exchange(ExchangeID(place.id))
            }
            guard let detail else { return nil }
            return try ExchangePage(reader: reader, times: times).text(detail)
        case .command:
            let detail = try reader.reading { r throws(TraceError) in
                try r.command(CommandID(place.id))
            }
            guard let detail else { return nil }
            return try CommandPage(reader: reader, times: times, objects: objects).text(detail)
        case .message:
            let detail = try reader.reading { r throws(TraceError) in
                try r.message(MessageID(place.id))
            }
            return detail.map { MessagePage.text($0, times) }
        }
    }
}
