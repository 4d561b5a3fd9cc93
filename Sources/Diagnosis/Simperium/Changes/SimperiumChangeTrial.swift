import Notation
import Simperium
import Wire

/// A client's change while it is judged: its content, and its effect on the object.
struct SimperiumChangeTrial {
    /// How a change compares with another.
    enum Likeness { case same, whole, other, unknown }

    let change: SimperiumChange<Range<Int>>
    let key: ExactText
    let ccid: ExactText
    let text: [UInt8]
    let isSound: Bool

    /// The map of operations, if it can be read.
    private(set) var operations: JSONObject?
    /// The object that it applies to, where known.
    private(set) var base: JSONObject?
    /// The resulting object; nil where unknown.
    private(set) var result: JSONValue?
    /// Why it cannot be applied to its base.
    private(set) var failure: DiffError?
    /// Bytes of the result, about; 0 where it is not known.
    private(set) var size = 0
    /// The longest text that it inserts into a member.
    private(set) var insert: SimperiumChangeInsert?
    /// Members that it writes.
    private(set) var members: [ExactText] = []

    /// Whether a finding was made about it, so that no other is needed.
    var isJudged = false
    /// Whether the identifier is another change's, which is to be remembered.
    var isReuse = false
    /// Whether it is for a version that is past.
    var isBehind = false
    /// The change whose edit it repeats.
    var repeats: ExactText?

    static let leastInsert = 4
    static let maxInsert = 10_000

    init(
        change: SimperiumChange<Range<Int>>, key: ExactText, ccid: ExactText, text: [UInt8],
        isSound: Bool
    ) {
        self.change = change
        self.key = key
        self.ccid = ccid
        self.text = text
        self.isSound = isSound
    }

    /// Reads the operations and applies them to what they are for.
    mutating func work(_ truth: inout SimperiumChangeTruth, _ place: SimperiumChangePlace) {
        guard isSound, change.operation == .modify, let range = change.value,
            let document = try? JSONDocument.scan(text, in: range)
        else { return }
        let value = JSONValue(document.root)
        guard case .object(let operations) = value else { return }
        self.operations = operations
        for member in operations.members.prefix(64) { note(member) }
        let base: JSONValue? = change.sv.map { truth.value(place, $0) } ?? .object(JSONObject())
        guard case .object(let object)? = base, let base else { return }
        self.base = object
        do throws(DiffError) {
            result = try JSONDiff.apply(value, to: base)
            size = range.count + (change.sv.map { truth.size(place, $0) } ?? 0)
        } catch {
            failure = error
        }
        if let data = change.data { size = data.count }
    }

    private mutating func note(_ member: JSONObject.Member) {
        members.append(member.key)
        guard let operation = member.value["o"]?.string else { return }
        guard operation == "d", let delta = member.value["v"]?.string,
            delta.utf8.count < Self.maxInsert, let read = try? StringDelta(parsing: delta)
        else { return }
        for case .insert(let text) in read.steps
        where text.utf16.count >= max(Self.leastInsert, (insert?.text.utf16.count ?? 0) + 1) {
            insert = SimperiumChangeInsert(member: member.key, text: text)
        }
    }

    /// How it compares with a change that was sent before.
    func likeness(to before: SimperiumChangeSent, _ kept: SimperiumChangeEvidence) -> Likeness {
        guard let old = kept[before.evidence]?.said?.text else { return .unknown }
        if before.change.data == nil, change.data != nil { return .whole }
        guard before.change.operation == change.operation, before.change.sv == change.sv,
            isSame(before.change.value, change.value, old),
            isSame(before.change.data, change.data, old)
        else { return .other }
        return .same
    }

    /// Which field is another.
    func difference(
        from before: SimperiumChangeSent, _ kept: SimperiumChangeEvidence
    ) -> String {
        guard let old = kept[before.evidence]?.said?.text else { return "content" }
        if before.change.operation != change.operation { return "o" }
        if before.change.sv != change.sv { return "sv" }
        return isSame(before.change.value, change.value, old) ? "d" : "v"
    }

    private func isSame(_ a: Range<Int>?, _ b: Range<Int>?, _ old: [UInt8]) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        guard a.upperBound <= old.count, b.upperBound <= text.count else { return false }
        if old[a] == text[b] { return true }
        guard let first = try? JSONDocument.scan(old, in: a),
            let second = try? JSONDocument.scan(text, in: b)
        else { return false }
        return JSONValue(first.root).isSame(as: JSONValue(second.root))
    }
}
