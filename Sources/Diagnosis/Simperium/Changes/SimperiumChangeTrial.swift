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
    /// The object as it will be, where known: its whole data, or the result of the operations.
    private(set) var after: JSONObject?
    /// What the object gains by it.
    private(set) var edits: [SimperiumEdit] = []

    /// Whether a finding was made about it, so that no other is needed.
    var isJudged = false
    /// Whether the identifier is another change's, which is to be remembered.
    var isReuse = false
    /// Whether it is for a version that is past.
    var isBehind = false
    /// The change whose edit it repeats.
    var repeats: ExactText?

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
        guard isSound, change.operation == .modify else { return }
        let base: JSONValue? = change.sv.map { truth.value(place, $0) } ?? .object(JSONObject())
        if case .object(let object)? = base { self.base = object }
        if let range = change.value {
            guard let document = try? JSONDocument.scan(text, in: range),
                case .object(let operations) = JSONValue(document.root)
            else { return }
            self.operations = operations
            apply(operations, to: base, change.sv.map { truth.size(place, $0) } ?? 0)
        }
        if let data = change.data {
            size = data.count
            if let document = try? JSONDocument.scan(text, in: data),
                case .object(let object) = JSONValue(document.root)
            {
                after = object
            }
        } else if case .object(let object)? = result {
            after = object
        }
        edits = SimperiumEdit.all(of: operations, from: self.base, to: after)
    }

    private mutating func apply(_ operations: JSONObject, to base: JSONValue?, _ size: Int) {
        guard let base, self.base != nil else { return }
        do throws(DiffError) {
            result = try JSONDiff.apply(.object(operations), to: base)
            self.size = (change.value?.count ?? 0) + size
        } catch {
            failure = error
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
