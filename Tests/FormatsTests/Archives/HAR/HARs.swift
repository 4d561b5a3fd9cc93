import Wire

@testable import Formats

/// Archives as tests write them.
enum HARs {
    /// An archive with these entries, each an object in JSON.
    static func archive(
        _ entries: String..., creator: String = #""name":"x","version":"1""#
    )
        -> String
    {
        #"{"log":{"version":"1.2","creator":{\#(creator)},"pages":[],"entries":["#
            + entries.joined(separator: ",") + "]}}"
    }

    /// An entry with a request for `url` at a second of the first day of 2024.
    static func entry(
        second: Int = 0, method: String = "GET", url: String = "http://example.org/",
        request: String = #""headers":[]"#, response: String = #""status":204,"headers":[]"#,
        more: String = #""time":1,"timings":{"send":0,"wait":1,"receive":0}"#
    ) -> String {
        let digits = second < 10 ? "0\(second)" : String(second)
        return #"{"startedDateTime":"2024-01-01T00:00:\#(digits).000Z","#
            + #""request":{"method":"\#(method)","url":"\#(url)",\#(request)},"#
            + #""response":{\#(response)},\#(more)}"#
    }

    /// What `entries` becomes.
    static func exchanges(_ text: String) throws -> [ArchivedExchange] {
        try exchanges(of: HARReader(bytes: Array(text.utf8), name: "a.har"))
    }

    static func exchanges(of reader: HARReader) throws -> [ArchivedExchange] {
        var found: [ArchivedExchange] = []
        try reader.exchanges { found.append($0) }
        return found
    }

    static func exchange(_ entry: String) throws -> ArchivedExchange {
        try exchanges(archive(entry))[0]
    }

    /// All that the two sides of a made-up connection sent, and its events.
    static func wire(_ exchange: ArchivedExchange) -> WireContent {
        let records = ArchiveRecords(startedUnixNanoseconds: exchange.startedUnixNanoseconds)
            .records(
                of: exchange, connection: ConnectionID(1), client: LegID(1), server: LegID(2))
        var wire = WireContent()
        for timed in records {
            switch timed.record {
            case .chunk(let chunk):
                if chunk.sender == .client {
                    wire.asked += chunk.bytes
                } else {
                    wire.answered += chunk.bytes
                }
            case .event(let event): wire.events.append("\(event.kind.rawValue) \(event.detail)")
            case .gap(let gap): wire.missing += gap.count
            default: break
            }
            wire.times.append(timed.at.nanoseconds)
        }
        return wire
    }

    struct WireContent {
        var asked: [UInt8] = []
        var answered: [UInt8] = []
        var events: [String] = []
        var missing: Int64 = 0
        var times: [Int64] = []

        var request: String { String(decoding: asked, as: UTF8.self) }
        var response: String { String(decoding: answered, as: UTF8.self) }
    }
}
