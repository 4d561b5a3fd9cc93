import Capturing
import Formats
import Notation
import Trace

/// The summary of an import.
struct ImportSummary {
    /// As text, with a line feed at the end.
    let text: String
    /// As a JSON object on one line.
    let json: String
    /// Why the file was not read to its end; nil where it was.
    let problem: String?

    private init(_ lines: [String], _ object: JSONObjectText, trace: String, problem: String? = nil)
    {
        var object = object
        object.add("trace", trace)
        text = (lines + ["trace: \(trace)"]).joined(separator: "\n") + "\n"
        json = object.text
        self.problem = problem
    }

    /// Of a text recording.
    init(_ outcome: RecordingImport.Outcome, trace: String) {
        var object = JSONObjectText()
        object.add("format", "text")
        object.add("exchanges", outcome.exchanges)
        object.add("messages", outcome.messages)
        object.add("commands", outcome.commands)
        self.init(
            [
                [
                    Summary.count(outcome.exchanges, "exchange"),
                    Summary.count(outcome.messages, "message"),
                    Summary.count(outcome.commands, "command"),
                ].joined(separator: ", ")
            ], object, trace: trace)
    }

    /// Of packets.
    init(_ outcome: CaptureImport.Outcome, trace: String) {
        let capture = CaptureSummary(outcome.totals)
        var object = JSONObjectText()
        object.add("format", "packets")
        capture.add(to: &object)
        object.add("exchanges", outcome.trace.exchanges)
        object.add("messages", outcome.trace.messages)
        object.add("commands", outcome.trace.commands)
        object.add("gaps", outcome.trace.gaps)
        if outcome.blocks.cutOffBytes > 0 {
            object.add("cut_off_bytes", outcome.blocks.cutOffBytes)
        }
        if let problem = outcome.problem { object.add("problem", problem) }
        var lines = capture.lines
        if outcome.blocks.cutOffBytes > 0 {
            lines.append(
                "the file ends in the middle of a packet: "
                    + "\(outcome.blocks.cutOffBytes) bytes of it were left")
        }
        lines.insert(Summary.line(outcome.trace), at: 0)
        self.init(lines, object, trace: trace, problem: outcome.problem)
    }

    /// Of an HTTP archive.
    init(_ outcome: HARImport.Outcome, trace: String) {
        var object = JSONObjectText()
        object.add("format", "har")
        object.add("creator", outcome.creator)
        object.add("entries", Int64(outcome.entries))
        object.add("exchanges", outcome.exchanges)
        object.add("messages", outcome.messages)
        object.add("odd", outcome.odd)
        object.add("left_out", Int64(outcome.leftOut.values.reduce(0, +)))
        let from = outcome.creator.isEmpty ? "" : " by \(outcome.creator)"
        var lines = ["an HTTP archive\(from): \(Summary.count(Int64(outcome.entries), "entry"))"]
        lines[0] = lines[0].replacing("entrys", with: "entries")
        lines += Self.lines(outcome.exchanges, outcome.messages, outcome.odd, outcome.leftOut)
        self.init(lines, object, trace: trace)
    }

    /// Of flows of mitmproxy.
    init(_ outcome: MitmproxyImport.Outcome, trace: String) {
        var object = JSONObjectText()
        object.add("format", "mitmproxy")
        object.add("flows", Int64(outcome.flows))
        object.add("exchanges", outcome.exchanges)
        object.add("messages", outcome.messages)
        object.add("odd", outcome.odd)
        object.add("left_out", Int64(outcome.leftOut.values.reduce(0, +)))
        let lines =
            ["\(Summary.count(Int64(outcome.flows), "flow")) of mitmproxy"]
            + Self.lines(outcome.exchanges, outcome.messages, outcome.odd, outcome.leftOut)
        self.init(lines, object, trace: trace)
    }

    private static func lines(
        _ exchanges: Int64, _ messages: Int64, _ odd: Int64, _ leftOut: [String: Int]
    ) -> [String] {
        var lines = [
            Summary.count(exchanges, "exchange") + ", " + Summary.count(messages, "message")
        ]
        if odd > 0 {
            lines.append(
                "\(odd) of them malformed or incomplete; see the warnings and gaps of their connections"
            )
        }
        for (why, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            lines.append("left out: \(count) \(why)")
        }
        return lines
    }
}
