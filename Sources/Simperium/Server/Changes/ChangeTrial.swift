internal import Notation
internal import Wire

/// A requested change, checked against its object.
///
/// Work that several checks need is done once, and not before one needs it.
struct ChangeTrial {
    /// What a change would make of an object.
    struct Work {
        /// The operations, as they apply to the newest version.
        var operations: JSONValue
        /// The object afterwards.
        var data: JSONValue
        /// The same as JSON.
        var text: [UInt8]
        /// Bytes of it.
        var weight: Int { text.count }
    }

    /// The state of the bucket.
    struct Bucket {
        var name: String
        var knowsChange: Bool
        var count: Int
        var weight: Int
        var options: BucketOptions
    }

    let change: SimperiumChange<JSONValue>
    let author: ChangeAuthor
    let object: StoredObject?
    let bucket: Bucket
    /// The newest version; empty where there is none.
    private lazy var base = object?.head?.data ?? .object(JSONObject())
    private lazy var attempt = Result<Work, DiffError> { () throws(DiffError) in try work() }

    init(
        _ change: SimperiumChange<JSONValue>, by author: ChangeAuthor, on object: StoredObject?,
        in bucket: Bucket
    ) {
        self.change = change
        self.author = author
        self.object = object
        self.bucket = bucket
    }

    /// What a `M` makes of the object; nil where it cannot be carried out.
    var outcome: Work? { mutating get { try? attempt.get() } }

    /// Whether a check fails.
    mutating func fails(_ check: ChangeCheck) -> Bool {
        switch check {
        case .permission: return !author.mayWrite
        case .identity: return !hasIdentity
        case .schema: return !fitsSchema
        case .size:
            // Operations have escapes and both sides of a replacement, so that they may be longer.
            let most = bucket.options.objectBytes
            return (change.data?.bytes().count ?? 0) > most
                || (change.value?.bytes().count ?? 0) / 4 > most
        case .duplicate: return bucket.knowsChange
        case .version: return !hasVersion
        case .existence:
            guard object?.head == nil else { return false }
            switch change.operation {
            case .remove: return true
            // The whole object restores a deleted one.
            case .modify: return change.sv != nil && change.data == nil
            default: return false
            }
        case .diff: return change.operation == .modify && outcome == nil
        case .result: return isModification && (outcome?.weight ?? 0) > bucket.options.objectBytes
        case .emptiness:
            if change.operation == .empty { return bucket.count == 0 }
            guard isModification, object?.head != nil, let outcome else { return false }
            return outcome.data.isSame(as: base)
        case .room:
            guard isModification, let outcome else { return false }
            return bucket.weight + outcome.weight > bucket.options.bytes
                || (object?.head == nil && bucket.count >= bucket.options.objects)
        }
    }

    private var isModification: Bool { change.operation == .modify }

    private var hasIdentity: Bool {
        guard let key = change.key, change.ccids.count == 1, let ccid = change.ccids.first,
            IdentifierGrammar.isChange(ccid)
        else { return false }
        switch change.operation {
        case .modify, .remove: return IdentifierGrammar.isKey(key)
        case .empty: return bucket.options.emptying == .asOne && key == bucket.name
        default: return false
        }
    }

    private var fitsSchema: Bool {
        switch change.operation {
        case .modify:
            if let data = change.data { return data.kind == .object }
            return change.value != nil
        case .remove:
            guard let mark = bucket.options.removalMark, let head = object?.head else {
                return true
            }
            return head.data[mark] == .bool(true)
        default: return true
        }
    }

    private var hasVersion: Bool {
        guard let head = object?.head, change.operation != .empty else { return true }
        guard let sv = change.sv else { return !isModification || change.data != nil }
        guard isModification else { return 1...head.number ~= sv }
        return source != nil || (change.data != nil && bucket.options.overwritesUnknownVersions)
    }

    /// The version that the change is for, if it is kept and of the present object.
    private var source: StoredVersion? {
        guard let object, let sv = change.sv, sv >= object.born else { return nil }
        return object.version(sv)
    }

    private mutating func work() throws(DiffError) -> Work {
        let head = object?.head
        let source = head == nil ? nil : source ?? head
        var operations = change.value ?? .object(JSONObject())
        if let data = change.data { operations = try JSONDiff.diff(source?.data ?? base, data) }
        if let source, let head, source.number < head.number {
            operations = try rebase(operations, from: source)
        }
        let result = try JSONDiff.apply(operations, to: base)
        return Work(operations: operations, data: result, text: result.bytes())
    }

    /// Operations for an old version as operations for the newest.
    private func rebase(
        _ operations: JSONValue, from source: StoredVersion
    ) throws(DiffError) -> JSONValue {
        guard let object, let place = object.place(of: source.number) else { return operations }
        var later = object.versions[(place + 1)...]
        let most = max(bucket.options.rebaseSteps, 1)
        if later.count > most { later = later.suffix(most) }
        var result = operations
        var base = source
        for next in later {
            var remote = base.number + 1 == next.number ? next.change : nil
            if remote == nil { remote = try JSONDiff.diff(base.data, next.data) }
            if let remote {
                result = try JSONDiff.transform(result, over: remote, base: base.data)
            }
            base = next
        }
        return result
    }
}
