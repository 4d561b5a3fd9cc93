import Simperium
import Wire

/// What was edited, sent and accepted, to be held against the history of the server at the end.
///
/// Each edit puts one character into the object that no other edit has: its mark. One character
/// cannot be torn apart by whatever is merged into its neighbourhood.
struct FireLedger {
    /// A change that a client sent, perhaps several times.
    private struct Sent {
        var place: Place
        /// Marks that the change brings to the object.
        var marks: Set<Unicode.Scalar>
        var isRefused = false
        /// Versions that it made; 0 for a removal.
        var made: [Int64] = []
    }

    /// An object of a bucket.
    struct Place: Hashable, CustomStringConvertible {
        var bucket: String
        var key: String

        var description: String { "\(bucket)/\(key)" }
    }

    private var sent: [String: Sent] = [:]
    private var edits: [Unicode.Scalar: Place] = [:]
    /// Marks that an app took out again, with a later edit, a removal or by giving up.
    private var removed: Set<Unicode.Scalar> = []
    private var faults: [String] = []

    /// How many edits were made, removals among them.
    private(set) var count = 0
    /// How many different changes the server took.
    var acceptedCount: Int { sent.values.count { !$0.made.isEmpty } }

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
        _ change: SimperiumMessage.Change, _ place: Place, ghost: JSONValue?, target: JSONValue?
    ) {
        guard let ccid = change.ccids.first, sent[ccid] == nil else { return }
        let marks = Set(Self.marks(of: target)).subtracting(Self.marks(of: ghost))
        sent[ccid] = Sent(place: place, marks: marks)
    }

    /// Whether the server has made this change.
    func isMade(_ ccid: String) -> Bool { sent[ccid]?.made.isEmpty == false }

    /// What the server, or a fault in its name, says to changes.
    mutating func say(_ changes: [SimperiumMessage.Change]) {
        for change in changes {
            guard let ccid = change.ccids.first else { continue }
            if change.error == nil {
                let version = change.operation == .remove ? 0 : change.ev ?? 0
                sent[ccid]?.made.append(version)
                if sent[ccid] == nil { faults.append("nobody sent \(ccid)") }
            } else {
                sent[ccid]?.isRefused = true
            }
        }
    }

    /// What is not as it has to be.
    ///
    /// Where a mark is in no version, an app must have taken it out before it was sent. A mark is
    /// brought once and is once in each version, with one exception: an object that was removed
    /// comes back whole from each client that had work on it (404), and a member that was removed
    /// from each that had work in it, so that what it held before may come back more than once.
    /// What is new since the removal may not.
    func problems(history: (Place) -> ServerObject?, places: [Place]) -> [String] {
        var problems = faults
        var versions: [Place: [Int64: Set<Unicode.Scalar>]] = [:]
        var everywhere: Set<Unicode.Scalar> = []
        for place in places {
            guard let object = history(place) else { continue }
            var before: (number: Int64, marks: Set<Unicode.Scalar>, data: JSONValue?) = (0, [], nil)
            var introduced: Set<Unicode.Scalar> = []
            // Marks of the object before it was removed last.
            var earlier: Set<Unicode.Scalar> = []
            for version in object.versions {
                let all = Self.marks(of: version.data)
                let marks = Set(all)
                // A removal takes a number, too.
                let isCreation = version.number != before.number + 1 || before.number == 0
                if isCreation {
                    earlier.formUnion(introduced)
                    introduced = []
                }
                for gone in Self.members(of: before.data).subtracting(
                    Self.members(of: version.data))
                {
                    earlier.formUnion(Self.marks(of: before.data?[gone.string]))
                }
                let fresh = all.filter { !earlier.contains($0) }
                if Set(fresh).count < fresh.count {
                    problems.append("\(place).\(version.number) has a mark twice")
                }
                let new = isCreation ? marks : marks.subtracting(before.marks)
                let again = new.intersection(introduced).subtracting(earlier)
                if !again.isEmpty {
                    problems.append("\(place).\(version.number) has \(Self.text(again)) again")
                }
                introduced.formUnion(new)
                everywhere.formUnion(new)
                versions[place, default: [:]][version.number] = marks
                before = (version.number, marks, version.data)
            }
        }
        for (ccid, change) in sent {
            if change.made.count > 1 { problems.append("\(change.place): \(ccid) was made twice") }
            if change.made.isEmpty, !change.isRefused {
                problems.append("\(change.place): nobody answered \(ccid)")
            }
            for version in change.made where version > 0 {
                let there = versions[change.place]?[version] ?? []
                let missing = change.marks.subtracting(there)
                if !missing.isEmpty {
                    problems.append("\(change.place).\(version) lacks \(Self.text(missing))")
                }
            }
        }
        for (mark, place) in edits where !everywhere.contains(mark) && !removed.contains(mark) {
            problems.append("\(place): the edit \(Self.text([mark])) is lost")
        }
        return problems
    }

    private static func members(of value: JSONValue?) -> Set<ExactText> {
        guard case .object(let object)? = value else { return [] }
        return Set(object.members.map(\.key))
    }

    private static func text(_ marks: Set<Unicode.Scalar>) -> String {
        marks.map { "U+" + String($0.value, radix: 16) }.sorted().joined(separator: " ")
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
