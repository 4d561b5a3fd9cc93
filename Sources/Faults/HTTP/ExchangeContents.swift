import Dissection
import Framing
import Wire

/// Heads and bodies of an exchange; the bodies are read on first use.
final class ExchangeContents {
    /// What is read from the two messages.
    struct Rows {
        var bodies: [BodyRow] = []
        var documents: [OpenRosaRow] = []
        /// Codes of what was noticed.
        var notes: [String] = []
    }

    /// One of the two messages, as far as received.
    struct Message {
        var sender: Peer
        var head: HTTPHead
        /// Its content without transfer coding.
        var content = KeptContent()
    }

    /// No filter uses a case block.
    private static let limits = {
        var limits = DissectionLimits()
        limits.caseBlocks = 0
        return limits
    }()

    private let messages: [Message]
    private let notes: [String]
    private var read: Rows?

    /// The fields of these rows.
    init(_ rows: Rows) {
        messages = []
        notes = []
        read = rows
    }

    /// The fields of these messages.
    init(_ messages: [Message], notes: [String]) {
        self.messages = messages
        self.notes = notes
    }

    /// The heads as received.
    var heads: [(sender: Peer, head: [UInt8])] {
        messages.isEmpty
            ? (read?.bodies ?? []).map { ($0.sender, $0.head) }
            : messages.map { ($0.sender, $0.head.bytes) }
    }

    /// What is read from the messages of the exchange `row`: the same that a trace keeps.
    func rows(_ row: ExchangeRow) -> Rows {
        if let read { return read }
        let output = DissectorOutput(numbers: DissectorNumbers())
        for message in messages {
            let collector = BodyCollector(
                head: message.head, at: nil, exchange: row, sender: message.sender,
                limits: Self.limits,
                status: message.sender == .server ? message.head.status : nil)
            collector.trailers = message.content.trailers
            if !message.content.bytes.isEmpty {
                collector.take(message.content.bytes.span, at: nil, to: output)
            }
            collector.finish(isCut: message.content.isCut, to: output)
        }
        var made: [DerivedRow] = []
        output.trade(&made)
        var rows = Rows(notes: notes)
        for item in made {
            switch item {
            case .body(let body): rows.bodies.append(body)
            case .openRosa(let document): rows.documents.append(document)
            case .note(let note): rows.notes.append(note.code)
            default: continue
            }
        }
        read = rows
        return rows
    }
}
