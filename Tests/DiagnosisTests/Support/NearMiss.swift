import Wire

@testable import Diagnosis

/// What keeps a session from breaking a rule: the one edit that makes it break it.
///
/// A session in which nothing is found proves something only if there was something to find. So it
/// has to be one edit away from a session that breaks the rule.
enum NearMiss: Hashable {
    /// What faults did is undone, and what is missing is there.
    case calm
    /// What is said is that of another session, which breaks the rule, but for a few lines, or is
    /// said at other times.
    case like(Int)
    /// This line is not said.
    case without(Int)

    /// Lines of a session that have no like in the other, at most.
    private static let maxLines = 2

    /// The edit after which a session breaks a rule; nil where none does.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - script: The session.
    ///   - broken: Sessions that break the rule.
    init?(of rule: Rule, _ script: SessionScript, among broken: [SessionScript]) {
        if script.isDisturbed, script.calm.breaks(rule) {
            self = .calm
            return
        }
        let lines = script.lines
        // A disturbance that keeps the rule silent is no likeness.
        for (number, other) in broken.enumerated()
        where other.isDisturbed || !script.isDisturbed {
            let others = other.lines
            guard Self.strangers(lines, to: others) <= Self.maxLines,
                Self.strangers(others, to: lines) <= Self.maxLines
            else { continue }
            self = .like(number)
            return
        }
        if script.isDisturbed { return nil }
        for place in lines.indices where script.without(line: place).breaks(rule) {
            self = .without(place)
            return
        }
        return nil
    }

    /// How many lines have no like among others.
    private static func strangers(_ lines: [ScriptLine], to others: [ScriptLine]) -> Int {
        let known = Set(others)
        let news = Set(lines).subtracting(known)
        return news.count { line in
            !line.text.isEmpty && !known.contains { line.isLike($0) }
        }
    }
}

/// Something that is said or happens in a session, without its time.
struct ScriptLine: Hashable {
    /// What kind of thing it is, and whose.
    let kind: String
    /// What is said, unmasked.
    let text: [UInt8]
    /// The names, numbers and words of a command; none of HTTP, whose heads are all much the same.
    private let words: Set<ArraySlice<UInt8>>

    init(kind: String, text: [UInt8] = []) {
        self.kind = kind
        self.text = text
        let isCommand = text.count < 1_000 && !text.contains(0x0D)
        words = isCommand ? Set(text.split { !Self.isWord($0) }) : []
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte >= 0x80
    }

    /// Whether the same peer says much the same.
    func isLike(_ other: Self) -> Bool {
        guard kind == other.kind else { return false }
        let start = zip(text, other.text).prefix { $0 == $1 }.count
        let end = zip(text[start...].reversed(), other.text[start...].reversed())
            .prefix { $0 == $1 }.count
        return 2 * (start + end) >= max(text.count, other.text.count)
            || 2 * words.intersection(other.words).count > max(words.count, other.words.count)
    }
}

extension SessionScript {
    /// Whether Tapedeck did something on purpose, or bytes are missing.
    var isDisturbed: Bool { hasFaults || entries.contains(where: \.isGap) }

    /// The session as it would be had nothing been done to it, and were nothing missing.
    var calm: SessionScript {
        var script = withoutFaults
        script.entries.removeAll(where: \.isGap)
        return script
    }

    private var ordered: [Int] {
        entries.indices.sorted {
            (entries[$0].at, entries[$0].order) < (entries[$1].at, entries[$1].order)
        }
    }

    /// What is said and happens, in order.
    var lines: [ScriptLine] {
        ordered.compactMap { index in
            switch entries[index].what {
            case .record(.chunk(let chunk)) where !entries[index].isCalm:
                ScriptLine(kind: "\(chunk.sender)", text: Self.unmasked(chunk.bytes))
            case .record(.event(let row)):
                ScriptLine(
                    kind: "\(row.kind) \(row.leg.map { $0.rawValue & 1 } ?? -1)")
            case .record(.connection(let row)):
                ScriptLine(kind: "connects \(row.client) \(row.mode)")
            default: nil
            }
        }
    }

    /// The session without one of its ``lines``.
    func without(line: Int) -> SessionScript {
        let places = ordered.filter { index in
            switch entries[index].what {
            case .record(.chunk), .record(.event), .record(.connection): true
            default: false
            }
        }
        var script = self
        script.entries.remove(at: places[line])
        return script
    }

    /// A frame of a client without its mask, so that what is alike looks alike.
    private static func unmasked(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 6, bytes[0] & 0x70 == 0, bytes[1] & 0x80 != 0 else { return bytes }
        let head =
            switch bytes[1] & 0x7F {
            case 126: 4
            case 127: 10
            default: 2
            }
        guard bytes[0] & 0x80 != 0, bytes.count >= head + 4 else { return bytes }
        let key = Array(bytes[head..<(head + 4)])
        return bytes[(head + 4)...].enumerated().map { $1 ^ key[$0 % 4] }
    }
}

extension SessionScript.Entry {
    fileprivate var isGap: Bool { if case .record(.gap) = what { true } else { false } }
}
