package import Certification
package import Diagnosis
internal import Dissection
package import Trace
internal import Wire

/// What has to happen in a session so that a client can break the rule of a finding again.
///
/// Taken from the evidence of the finding: whatever precedes the breach, and what the server sent.
package struct Trigger: Hashable, Sendable {
    /// A filter of the lines that have to be there, as `tapedeck ls` takes it.
    package var filter: String
    /// How many of them, at least 1.
    package var count: Int
    /// What they are, as the finding describes the last of them.
    package var detail: String

    /// A trigger with these values.
    package init(filter: String, count: Int, detail: String) {
        self.filter = filter
        self.count = count
        self.detail = detail
    }

    /// Whether it is something that the client sends, and how often is its own choice.
    package var isOfClient: Bool { filter.contains("sender:client") }

    /// The same as an event that certification looks for.
    package var event: ExpectedEvent { .lines(filter, detail, count: count) }

    /// The triggers of a finding, in order.
    ///
    /// - Parameters:
    ///   - finding: The finding.
    ///   - reader: The trace of which it is.
    /// - Returns: What has to happen; at least one where the finding names a row.
    /// - Throws: ``TraceError`` where that cannot be read.
    package static func all(
        of finding: Finding, in reader: TraceReader
    ) throws(TraceError) -> [Trigger] {
        var lines: [Line: TraceLine] = [:]
        let wanted = Set(finding.steps.compactMap(Line.init))
        try reader.lines(nil) { line in
            if let key = Line(line), wanted.contains(key) { lines[key] = line }
            return lines.count < wanted.count
        }
        let last = finding.steps.last.flatMap(Line.init)
        var triggers: [Trigger] = []
        for step in finding.steps {
            guard let key = Line(step), let line = lines[key] else { continue }
            let isBreach = key == last
            guard !isBreach || isOfServer(line) else { continue }
            try add(line, step.detail, answered: true, to: &triggers, reader)
        }
        guard triggers.isEmpty, let last, let line = lines[last] else { return triggers }
        try add(line, finding.steps.last?.detail ?? "", answered: false, to: &triggers, reader)
        return triggers
    }

    /// A row that a step of a finding names.
    private enum Line: Hashable {
        case exchange(ExchangeID)
        case command(CommandID)

        init?(_ step: FindingStep) {
            if let command = step.command {
                self = .command(command)
            } else if let exchange = step.exchange {
                self = .exchange(exchange)
            } else {
                return nil
            }
        }

        init?(_ line: TraceLine) {
            switch line {
            case .exchange(_, let row): self = .exchange(row.id)
            case .command(_, let row): self = .command(row.id)
            case .message: return nil
            }
        }
    }

    private static func isOfServer(_ line: TraceLine) -> Bool {
        if case .command(_, let row) = line { row.sender == .server } else { false }
    }

    private static func add(
        _ line: TraceLine, _ detail: String, answered: Bool, to triggers: inout [Trigger],
        _ reader: TraceReader
    ) throws(TraceError) {
        let filter = LineFilter.text(of: line, answered: answered)
        let count = try reader.count(filter, upTo: line)
        if let known = triggers.firstIndex(where: { $0.filter == filter }) {
            triggers[known].count = max(triggers[known].count, count)
        } else {
            triggers.append(Trigger(filter: filter, count: count, detail: detail))
        }
    }
}
