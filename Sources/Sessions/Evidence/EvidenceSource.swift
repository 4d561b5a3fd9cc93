package import Diagnosis
import Dissection
import Faults
import Simperium
package import Trace
package import Wire

/// Turns the rows of a session into evidence: who sent what, and what happened to it on the way.
///
/// For one thread at a time.
package final class EvidenceSource {
    private let reader: EvidenceReader
    /// The name of the last command without an error.
    private var lastName: String?
    /// The time of the last evidence.
    package private(set) var last = Instant.zero
    private var counts = EvidenceCounts()

    /// Entries of a batch, so that reading does not hold the log of a trace that is being written.
    private static let most = 1_024
    /// Bytes of contents after which no more is added to a batch.
    private static let mostBytes = 4 << 20
    /// Bytes of the largest command that is read out of the chunks.
    private static let largest: Int64 = 64 << 20

    package init(_ reader: EvidenceReader) { self.reader = reader }

    /// Reads what was recorded since the last call, as much as belongs in a batch.
    ///
    /// The trace is not held any more when it returns: its log cannot begin anew while it is read,
    /// and whoever looks at the evidence may have to wait long for a processor.
    ///
    /// - Parameters:
    ///   - moment: The last time that is included; nil for all.
    ///   - isOver: Whether no more rows will come.
    /// - Returns: The evidence; empty where there was nothing.
    /// - Throws: ``TraceError`` with code `storage`.
    package func next(
        upto moment: Instant? = nil, isOver: Bool
    ) throws(TraceError) -> EvidenceBatch {
        var evidence: [Evidence] = []
        var bytes = 0
        func goesOn() -> Bool { bytes < Self.mostBytes }
        let isLast = try reader.read(
            upto: moment, isOver: isOver, most: Self.most, while: goesOn
        ) { entry in
            take(entry) {
                last = max(last, $0.at)
                note($0)
                bytes += $0.size
                evidence.append($0)
            }
        }
        return EvidenceBatch(evidence: evidence, counts: counts, last: last, isLast: isLast)
    }

    private func note(_ evidence: Evidence) {
        if case .command(let command) = evidence, command.row.error == nil {
            // Nearly all are of the same kind as the one before.
            if command.row.name == lastName { return }
            lastName = command.row.name
        }
        counts.kinds.formUnion(evidence.kinds)
    }

    private func take(_ entry: EvidenceEntry, _ body: (Evidence) -> Void) {
        switch entry {
        case .connection(let row):
            counts.connections += 1
            body(.connection(row))
        case .event(let row): body(.event(row))
        case .gap(let row): body(.gap(row))
        case .note(let row): body(.note(row))
        case .fault(let row): take(row, body)
        case .asked(let row):
            counts.exchanges += 1
            body(.asked(evidence(row)))
        case .answered(let row): body(.answered(evidence(row)))
        case .command(let row):
            counts.commands += 1
            body(.command(evidence(row)))
        case .message(let row): body(.message(MessageEvidence(row, origin: row.origin)))
        }
    }

    // MARK: Simperium

    private func evidence(_ entry: EvidenceCommandRow) -> CommandEvidence {
        var text = entry.text
        var isCut = entry.isCut
        if isCut, let whole = whole(entry.row.id) {
            text = whole
            isCut = false
        }
        let (row, place) = (entry.row, entry.place)
        let origin = row.origin
        guard origin == .altered, let other = entry.other else {
            return CommandEvidence(row, text: text, origin: origin, place: place, isCut: isCut)
        }
        let isSender = row.side == Side(of: row.sender)
        return CommandEvidence(
            row, said: isSender ? text : other, heard: isSender ? other : text, place: place,
            isCut: isCut)
    }

    /// The text of a command of which the trace keeps the first bytes, out of the chunks.
    private func whole(_ id: CommandID) -> [UInt8]? {
        guard let kept = try? reader.contents.text(id), let place = kept.cutFrom,
            place.size <= Self.largest
        else { return nil }
        return try? reader.contents.payload(of: place, startingWith: kept.text)
    }

    private func take(_ fault: EvidenceFaultRow, _ body: (Evidence) -> Void) {
        let row = fault.row.withEffect
        guard row.isDone else { return }
        counts.faults += 1
        body(.fault(row))
    }

    // MARK: HTTP

    private func evidence(_ entry: EvidenceExchangeRow) -> ExchangeEvidence {
        ExchangeEvidence(
            entry.row, request: entry.request.map { side($0, of: entry.row) },
            response: entry.response.map { side($0, of: entry.row) },
            faults: entry.faults.map(\.withEffect).filter(\.isDone))
    }

    private func side(_ entry: EvidenceSideRow, of row: ExchangeRow) -> SideEvidence {
        var side = SideEvidence(
            entry.body, parts: entry.parts, documents: entry.documents)
        guard !side.isWhole, entry.body.size > Int64(entry.body.content.count) else { return side }
        let path = reader.contents.path
        let (id, sender, method) = (row.id, entry.body.sender, row.method)
        let coding = entry.body.coding
        side.whole = { take in
            guard let reader = try? ReplayReader(path: path) else { return false }
            let isRead: Void? = try? reader.pieces(
                id, sender, method: method, decoding: coding, take)
            return isRead != nil
        }
        return side
    }
}

extension CommandRow {
    /// Who made what its receiver got.
    fileprivate var origin: Origin { Origin(side, fate, of: sender) }
}

extension MessageRow {
    /// Who made what its receiver got.
    fileprivate var origin: Origin { Origin(side, fate, of: sender) }
}

extension Origin {
    /// That of a message of `sender` on one side of a conversation.
    fileprivate init(_ side: Side, _ fate: Fate, of sender: Peer) {
        self =
            switch fate {
            case .same, .late: .peer
            case .altered: .altered
            case .lost, .repeated, .synthesized: side == Side(of: sender) ? .lost : .tapedeck
            }
    }
}

extension FaultRow {
    /// The row with its effect: the declared one where the trace does not have it.
    fileprivate var withEffect: FaultRow {
        guard effect == nil else { return self }
        var row = self
        row.effect = .declared(for: action, on: sender, hasTaken: sender != nil)
        return row
    }
}

/// Evidence in order, with what is known at its end.
package struct EvidenceBatch: Sendable {
    package var evidence: [Evidence]
    /// The counts of all evidence up to its end.
    package var counts: EvidenceCounts
    /// The time of the last evidence up to there.
    package var last: Instant
    /// Whether there is no more up to the moment that was asked for.
    package var isLast: Bool
}

/// The counts of what was diagnosed.
package struct EvidenceCounts: Hashable, Sendable {
    package var connections = 0
    package var exchanges = 0
    package var commands = 0
    package var faults = 0
    /// The kinds of what there was; see ``Diagnosis/Evidence/kinds``.
    package var kinds: Set<String> = []

    package init(
        connections: Int = 0, exchanges: Int = 0, commands: Int = 0, faults: Int = 0,
        kinds: Set<String> = []
    ) {
        self.kinds = kinds
        self.connections = connections
        self.exchanges = exchanges
        self.commands = commands
        self.faults = faults
    }

    package static func + (a: EvidenceCounts, b: EvidenceCounts) -> EvidenceCounts {
        EvidenceCounts(
            connections: a.connections + b.connections, exchanges: a.exchanges + b.exchanges,
            commands: a.commands + b.commands, faults: a.faults + b.faults,
            kinds: a.kinds.union(b.kinds))
    }

    /// Whether no request, command or message was recorded, so that nothing can be said of a peer.
    package var isEmpty: Bool { exchanges == 0 && commands == 0 && kinds.isEmpty }

    /// `2 connections, 3 exchanges and 120 commands`.
    package var words: String {
        func count(_ number: Int, _ noun: String) -> String {
            "\(number) \(noun)\(number == 1 ? "" : "s")"
        }
        return "\(count(connections, "connection")), \(count(exchanges, "exchange")) and "
            + count(commands, "command")
    }
}
