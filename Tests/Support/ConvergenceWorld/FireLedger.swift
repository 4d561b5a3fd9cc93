import Notation
import Simperium
import Wire

/// What was edited, sent and accepted, to be held against the history of the server at the end.
///
/// Each edit puts one character into the object that no other edit has: its mark. One character
/// cannot be torn apart by whatever is merged into its neighbourhood.
public struct FireLedger {
    /// A change that a client sent, perhaps several times.
    private struct Sent {
        var place: Place
        /// Marks that the change brings to the object.
        var marks: Set<Unicode.Scalar>
        /// When it was sent first.
        var time: Int
        var isRefused = false
        /// Versions that it made.
        var made: [Int64] = []
        var isRemoval = false
    }

    /// An object of a bucket.
    public struct Place: Hashable, CustomStringConvertible {
        /// Name of the bucket.
        public var bucket: String
        /// Key of the object.
        public var key: String

        /// `BUCKET/KEY`.
        public var description: String { "\(bucket)/\(key)" }
    }

    private var sent: [String: Sent] = [:]
    private var edits: [Unicode.Scalar: Place] = [:]
    /// Marks that an app took out again, with a later edit, a removal or by giving up.
    private var removed: Set<Unicode.Scalar> = []
    private var faults: [String] = []
    /// When each version was made, removals among them.
    private var times: [Place: [Int64: Int]] = [:]
    /// Counts what was sent and made.
    private var time = 0

    /// How many edits were made, removals among them.
    public private(set) var count = 0
    /// How many different changes the server took.
    public var acceptedCount: Int { sent.values.count { !$0.made.isEmpty } }

    /// The mark of the next edit: from the basic plane and from beyond in turns.
    var nextMark: Unicode.Scalar {
        let number = UInt32(count)
        return Unicode.Scalar((number.isMultiple(of: 2) ? 0x4E00 : 0xF0000) + number / 2) ?? "?"
    }

    /// An app did something to an object.
    mutating func edit(_ place: Place, from old: JSONValue?, to new: JSONValue?) {
        let before = Set(Self.marks(of: old))
        let after = Set(Self.marks(of: new))
        removed.formUnion(before.subtracting(after))
        for mark in after.subtracting(before) { edits[mark] = place }
        count += 1
    }

    /// An app gave up what it did.
    mutating func giveUp(from old: JSONValue?, to new: JSONValue?) {
        removed.formUnion(Set(Self.marks(of: old)).subtracting(Self.marks(of: new)))
    }

    /// A client sends a change; nil where it is the same again.
    mutating func send(
        _ change: SimperiumChange<JSONValue>, _ place: Place, ghost: JSONValue?, target: JSONValue?
    ) {
        guard let ccid = change.ccids.first, sent[ccid] == nil else { return }
        let marks = Set(Self.marks(of: target)).subtracting(Self.marks(of: ghost))
        time += 1
        sent[ccid] = Sent(
            place: place, marks: marks, time: time, isRemoval: change.operation == .remove)
    }

    /// Whether the server has made this change.
    func isMade(_ ccid: String) -> Bool { sent[ccid]?.made.isEmpty == false }

    /// What the server, or a fault in its name, says to changes.
    mutating func say(_ changes: [SimperiumChange<JSONValue>]) {
        for change in changes {
            guard let ccid = change.ccids.first else { continue }
            if change.error == nil {
                time += 1
                let version = change.ev ?? 0
                sent[ccid]?.made.append(version)
                if let place = sent[ccid]?.place {
                    times[place, default: [:]][version] = time
                } else {
                    faults.append("nobody sent \(ccid)")
                }
            } else {
                sent[ccid]?.isRefused = true
            }
        }
    }

    /// What is not as it has to be.
    ///
    /// - Every edit that was acknowledged is in the history: a change was made once, and the version
    ///   it made has the marks that it brought.
    /// - None is there twice: no two changes that were made bring the same mark, nor has the version
    ///   that one made a mark twice that it brought.
    /// - An edit that is in no version was taken out by an app before it was sent.
    ///
    /// What was in the history and went from it is left aside: whoever still works on something that
    /// others removed brings it back, as a whole, and perhaps several do. So is what a change only
    /// carries along: where two clients rewrite both sides of a kept character, their deltas rewrite
    /// the character, too.
    func problems(history: (Place) -> ServerObject?, places: [Place]) -> [String] {
        var versions: [Place: [Int64: [Unicode.Scalar]]] = [:]
        for place in places {
            for version in history(place)?.versions ?? [] {
                versions[place, default: [:]][version.number] = Self.marks(of: version.data)
            }
        }
        let gone = disappearances(versions)
        var problems = faults
        var brought: [Unicode.Scalar: String] = [:]
        for (ccid, change) in sent.sorted(by: { $0.value.time < $1.value.time }) {
            let name = "\(change.place): \(ccid)"
            if change.made.count > 1 { problems.append("\(name) was made twice") }
            guard let version = change.made.first else {
                if !change.isRefused { problems.append("\(name) was not answered") }
                continue
            }
            guard !change.isRemoval else { continue }
            let there = versions[change.place]?[version] ?? []
            for mark in change.marks where gone[mark] ?? .max > change.time {
                let count = there.count { $0 == mark }
                if count == 0 { problems.append("\(name) lacks \(Self.text(mark))") }
                if count > 1 { problems.append("\(name) has \(Self.text(mark)) twice") }
                if let first = brought.updateValue(ccid, forKey: mark) {
                    problems.append("\(name) brings \(Self.text(mark)) again after \(first)")
                }
            }
        }
        let everywhere = Set(versions.values.flatMap { $0.values.joined() })
        for (mark, place) in edits where !everywhere.contains(mark) && !removed.contains(mark) {
            problems.append("\(place): the edit \(Self.text(mark)) is lost")
        }
        return problems
    }

    /// When each mark first went that had been there.
    private func disappearances(
        _ versions: [Place: [Int64: [Unicode.Scalar]]]
    ) -> [Unicode.Scalar: Int] {
        var gone: [Unicode.Scalar: Int] = [:]
        for (place, times) in times {
            for (version, time) in times {
                // A removal takes a number and leaves nothing.
                let before = Set(versions[place]?[version - 1] ?? [])
                for mark in before.subtracting(versions[place]?[version] ?? []) {
                    gone[mark] = min(time, gone[mark] ?? .max)
                }
            }
        }
        return gone
    }

    private static func text(_ mark: Unicode.Scalar) -> String {
        "U+" + String(mark.value, radix: 16)
    }

    /// All marks in an object, in texts and in names of members, as often as they are there.
    static func marks(of value: JSONValue?) -> [Unicode.Scalar] {
        var marks: [Unicode.Scalar] = []
        if let value { collect(value, into: &marks) }
        return marks
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        (0x4E00..<0xA000).contains(scalar.value) || scalar.value >= 0xF0000
    }

    private static func collect(_ value: JSONValue, into marks: inout [Unicode.Scalar]) {
        switch value {
        case .string(let text):
            marks.append(contentsOf: text.unicodeScalars.filter(isMark))
        case .object(let object):
            for member in object.members {
                marks.append(contentsOf: member.key.string.unicodeScalars.filter(isMark))
                collect(member.value, into: &marks)
            }
        case .array(let values):
            for value in values { collect(value, into: &marks) }
        default: break
        }
    }
}
