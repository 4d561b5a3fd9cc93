import Filters
import Wire

/// What has to be true of a message or command so that a filter can hold for it.
///
/// Evaluated without reading JSON: where it is false the filter does not match, where it is true
/// the filter has to be evaluated.
indirect enum FilterCondition: Sendable {
    /// The filter may hold for anything.
    case open
    /// The filter holds for nothing of this kind.
    case never
    /// This peer sent it.
    case sender(Peer)
    /// The opcode of the message is one of these.
    case opcode(ClosedRange<Int64>)
    /// The name of the command is this one, packed by ``MessagePrefilter/packed(_:)``.
    case name(UInt64)
    /// The command is on one of these channels.
    case channel(ClosedRange<Int64>)
    /// The channel was opened for this bucket.
    case bucket(String)
    /// The payload has this text in it, given with ASCII letters in lower case; letters may be
    /// written as escapes of JSON.
    case mention([UInt8])
    /// The payload has these bytes in it, ASCII letters given in lower case.
    case bytes([UInt8])
    /// All of these.
    case all([FilterCondition])
    /// One of these.
    case any([FilterCondition])

    /// What has to be true for one of several.
    static func one(of conditions: [FilterCondition]) -> FilterCondition {
        let possible = conditions.filter { if case .never = $0 { false } else { true } }
        if possible.contains(where: { if case .open = $0 { true } else { false } }) { return .open }
        return possible.isEmpty ? .never : possible.count == 1 ? possible[0] : .any(possible)
    }

    /// What has to be true for all of several, the cheapest first.
    static func all(of conditions: [FilterCondition]) -> FilterCondition {
        if conditions.contains(where: { if case .never = $0 { true } else { false } }) {
            return .never
        }
        let asked = conditions.filter { if case .open = $0 { false } else { true } }
        let sorted = asked.filter { !$0.searches } + asked.filter(\.searches)
        return sorted.isEmpty ? .open : sorted.count == 1 ? sorted[0] : .all(sorted)
    }

    /// What has to be true so that `node` can hold in `phase`.
    init(_ node: FilterNode, phase: FilterPhase) {
        switch node {
        case .always, .not: self = .open
        case .and(let nodes): self = .all(of: nodes.map { FilterCondition($0, phase: phase) })
        case .or(let nodes): self = .one(of: nodes.map { FilterCondition($0, phase: phase) })
        case .comparison(let comparison): self.init(comparison, phase)
        }
    }

    private init(_ comparison: FilterComparison, _ phase: FilterPhase) {
        guard comparison.field.isKnown(at: phase) else {
            self = .never
            return
        }
        switch (comparison.field, comparison.test) {
        case (.sender, .equal(let text)):
            switch text.lowercased() {
            case "client": self = .sender(.client)
            case "server": self = .sender(.server)
            default: self = .open
            }
        case (.opcode, .range(let range)): self = .opcode(range)
        case (.command, .equal(let text)):
            let names = text == "i" || text == "cv" ? [text, "init"] : [text]
            self = .one(
                of: names.map {
                    MessagePrefilter.packed($0.utf8).map(FilterCondition.name) ?? .open
                })
        case (.channel, .range(let range)): self = .channel(range)
        case (.bucket, .equal(let text)): self = .bucket(text)
        case (.key, .equal(let text)), (.cv, .equal(let text)), (.ccid, .equal(let text)),
            (.clientid, .equal(let text)):
            // Others may be written in several ways, and some are put together from parts.
            self =
                text.utf8.allSatisfy(Self.isPlain) ? .mention(ByteSearch.lowercased(text)) : .open
        case (.payload, .contains(let text)), (.body, .contains(let text)):
            self = .bytes(ByteSearch.lowercased(text))
        default: self = .open
        }
    }

    /// Whether the whole payload has to be inspected.
    private var searches: Bool {
        switch self {
        case .mention, .bytes: true
        case .all(let parts), .any(let parts): parts.contains(where: \.searches)
        case .open, .never, .sender, .opcode, .name, .channel, .bucket: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
