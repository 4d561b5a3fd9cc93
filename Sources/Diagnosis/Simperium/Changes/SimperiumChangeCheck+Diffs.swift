import Dissection
import Notation
import Simperium
import Wire

/// Whether changes fit the object that they are for.
extension SimperiumChangeCheck {
    mutating func judgeDiff(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard let operations = trial.operations, !known.isAltered, scene.isWhole else { return }
        judgeUndoing(&trial, known, scene, &report)
        if trial.isJudged { return }
        if trial.change.sv == nil {
            judgeBringingBack(&trial, known, scene, &report)
            if trial.isJudged { return }
            judgeCreation(&trial, operations, scene, &report)
            return
        }
        if operations.members.isEmpty, trial.change.data == nil {
            trial.isJudged = true
            return findNothing(trial, scene, &report)
        }
        guard !trial.isJudged, let base = trial.base else { return }
        if let failure = trial.failure {
            return judgeFailure(failure, &trial, base, scene, &report)
        }
        guard let result = trial.result, case .object(let after) = result else { return }
        judgeData(trial, result, scene, &report)
        var isNothing = true
        // A few members are found faster without an index.
        let isSmall =
            operations.members.count < 8 && max(base.members.count, after.members.count) < 64
        let places = isSmall ? [:] : base.index()
        let afterPlaces = isSmall ? [:] : after.index()
        for member in operations.members.prefix(256) {
            let old =
                isSmall
                ? base[member.key.string] : places[member.key].map { base.members[$0].value }
            let new =
                isSmall
                ? after[member.key.string] : afterPlaces[member.key].map { after.members[$0].value }
            switch (old, new) {
            case (nil, nil): break
            case (let old?, let new?): if !old.isSame(as: new) { isNothing = false }
            default: isNothing = false
            }
            guard let old else { continue }
            judgeMember(&trial, member, old, new, scene, &report)
            if trial.isJudged { return }
        }
        if isNothing, trial.change.data == nil { findNothing(trial, scene, &report) }
    }

    private func findNothing(
        _ trial: SimperiumChangeTrial, _ scene: Scene, _ report: inout Report
    ) {
        find(
            SimperiumChangeRules.nothing, scene, trial.key,
            detail: "A change of \(trial.key) changes nothing of version \(trial.change.sv ?? 0).",
            "changes nothing", trial.change.value, &report)
    }

    /// A new object has no members that could be changed.
    private mutating func judgeCreation(
        _ trial: inout SimperiumChangeTrial, _ operations: JSONObject, _ scene: Scene,
        _ report: inout Report
    ) {
        guard trial.change.data == nil,
            let other = operations.members.first(where: {
                let name = $0.value["o"]?.string
                return name != "+" && name != "r"
            })
        else { return }
        trial.isJudged = true
        find(
            SimperiumChangeRules.noSource, scene, trial.key,
            detail: "A change of \(trial.key) has no sv, as if it were new, and does "
                + "`\(other.value["o"]?.string ?? "")` to \(other.key), which a new object does "
                + "not have.", "no sv", trial.change.range, &report)
    }

    // MARK: What cannot be applied

    private mutating func judgeFailure(
        _ failure: DiffError, _ trial: inout SimperiumChangeTrial, _ base: JSONObject,
        _ scene: Scene, _ report: inout Report
    ) {
        let name = "\(trial.key) at version \(trial.change.sv ?? 0)"
        let range = Self.range(of: failure.path, trial)
        switch failure.reason {
        case .delta(.length(let delta, let length, let fits)):
            let source = Self.text(at: failure.path, .object(base)) ?? ""
            var detail =
                "The delta of \(failure.path) of \(name) is for \(delta) UTF-16 code units, and the "
                + "text has \(length): `\(Self.excerpt(source))`."
            var cause: String?
            if let fits {
                detail += " It has \(delta) \(fits.rawValue): the client counts those."
                cause =
                    fits == .codePoints
                    ? "counts code points (runes, Python characters) instead of UTF-16 code units"
                    : "counts UTF-8 bytes instead of UTF-16 code units"
            } else {
                detail += " The client's text differs from the server's."
            }
            find(
                SimperiumChangeRules.deltaLength, scene, trial.key, detail: detail, cause: cause,
                "for \(delta) instead of \(length)", range, &report)
        case .delta(.halfPair(let unit)):
            let source = Self.text(at: failure.path, .object(base)) ?? ""
            find(
                SimperiumChangeRules.halfPair, scene, trial.key,
                detail:
                    "The delta of \(failure.path) of \(name) cuts a character in two: code unit "
                    + "\(unit) of the result is half a surrogate pair. The text is "
                    + "`\(Self.excerpt(source))`.", "cuts a surrogate pair", range, &report)
        case .nothingThere, .wrongKind, .badIndex, .overflow, .notAList:
            find(
                SimperiumChangeRules.doesNotApply, scene, trial.key,
                detail: "A change cannot be applied to \(name): \(failure).", "cannot be applied",
                range, &report)
        // Is found without the object.
        case .notAMap, .notAnOperation, .unknownOperation, .badValue, .delta: return
        }
        trial.isJudged = true
    }

    private static func excerpt(_ text: String) -> String {
        let quote = Quote.of(Array(text.utf8.prefix(4096)))
        return quote.count > 80 ? String(quote.prefix(79)) + "…" : quote
    }

    private static func text(at path: JSONPath, _ value: JSONValue) -> String? {
        var value = value
        for step in path.steps {
            switch (step, value) {
            case (.key(let key), .object(let object)):
                guard let next = object[key] else { return nil }
                value = next
            case (.index(let index), .array(let list)):
                guard list.indices.contains(index) else { return nil }
                value = list[index]
            default: return nil
            }
        }
        return value.string
    }

    /// The position of the operation in the command.
    private static func range(of path: JSONPath, _ trial: SimperiumChangeTrial) -> Range<Int>? {
        guard let range = trial.change.value,
            let document = try? JSONDocument.scan(trial.text, in: range)
        else { return trial.change.value }
        guard case .key(let key)? = path.steps.first else { return range }
        for member in document.root.members where member.key.string == key {
            return member.key.range.lowerBound..<member.value.range.upperBound
        }
        return range
    }

    // MARK: Unusual changes

    private mutating func judgeMember(
        _ trial: inout SimperiumChangeTrial, _ member: JSONObject.Member, _ old: JSONValue,
        _ new: JSONValue?, _ scene: Scene, _ report: inout Report
    ) {
        let name = member.value["o"]?.string
        guard let rule = Self.oddity(name, member, old, new) else { return }
        trial.isJudged = true
        let range = Self.range(of: JSONPath([.key(member.key.string)]), trial)
        switch rule {
        case SimperiumChangeRules.overwrites:
            find(
                rule, scene, trial.key,
                detail: "A change of \(trial.key) adds \(member.key), which version "
                    + "\(trial.change.sv ?? 0) has already.", "added though there", range, &report)
        case SimperiumChangeRules.wholeText:
            find(
                rule, scene, trial.key,
                detail:
                    "A change of \(trial.key) replaces all of the text of \(member.key), most of "
                    + "which stays as it was.", "replaced", range, &report)
        default: break
        }
    }

    /// The rule that an operation on a member that is there breaks.
    private static func oddity(
        _ name: String?, _ member: JSONObject.Member, _ old: JSONValue, _ new: JSONValue?
    ) -> Rule? {
        switch (name, old) {
        case ("+", .string(let before)), ("r", .string(let before)):
            if case .string(let after)? = new, isMostlyKept(before, after) {
                return SimperiumChangeRules.wholeText
            }
            return name == "+" ? SimperiumChangeRules.overwrites : nil
        case ("+", _): return SimperiumChangeRules.overwrites
        case ("d", .string(let before)):
            guard let text = member.value["v"]?.string,
                let delta = try? StringDelta(parsing: text)
            else { return nil }
            let keeps = delta.steps.contains { if case .keep = $0 { true } else { false } }
            if !keeps, case .string(let after)? = new, isMostlyKept(before, after) {
                return SimperiumChangeRules.wholeText
            }
            return nil
        default: return nil
        }
    }

    /// Whether a text that replaces another has most of it at its start or end.
    private static func isMostlyKept(_ old: String, _ new: String) -> Bool {
        let (a, b) = (Array(old.utf16), Array(new.utf16))
        let longest = max(a.count, b.count)
        guard longest >= 32, a != b else { return false }
        let start = zip(a, b).prefix { $0 == $1 }.count
        if 4 * start >= 3 * longest { return true }
        let end = zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.count
        return 4 * min(start + end, min(a.count, b.count)) >= 3 * longest
    }

    /// The whole object, sent under the identifier of a diff that was refused.
    mutating func judgeWholeAgain(
        _ trial: inout SimperiumChangeTrial, _ known: Key, _ scene: Scene,
        _ report: inout Report
    ) {
        guard trial.change.data != nil, trial.change.operation == .modify, !trial.isJudged,
            !trial.isReuse, scene.isWhole, !known.isAltered
        else { return }
        trial.work(&truth, Place(owner: scene.bucket, key: trial.key))
        guard let result = trial.result, trial.operations?.members.isEmpty == false else { return }
        judgeData(trial, result, scene, &report)
    }

    /// Whether `d` equals the result of `v`.
    private func judgeData(
        _ trial: SimperiumChangeTrial, _ result: JSONValue, _ scene: Scene,
        _ report: inout Report
    ) {
        guard let range = trial.change.data,
            let document = try? JSONDocument.scan(trial.text, in: range)
        else { return }
        let data = JSONValue(document.root)
        guard case .object(let theirs) = data, case .object(let ours) = result,
            !data.isSame(as: result)
        else { return }
        let places = ours.index()
        let other =
            theirs.members.first { member in
                places[member.key].map { !ours.members[$0].value.isSame(as: member.value) } ?? true
            }?.key ?? ours.members.first { theirs[$0.key.string] == nil }?.key
        let missing = ours.members.filter { theirs[$0.key.string] == nil }.map(\.key.string)
        let names = missing.prefix(3).joined(separator: ", ")
        let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        find(
            SimperiumChangeRules.dataDiffers, scene, trial.key,
            detail: "The d of a change of \(trial.key) is not what its v makes of version "
                + "\(trial.change.sv ?? 0): "
                + (missing.isEmpty
                    ? "\(other?.string ?? "something") differs."
                    : "\(names)\(more) \(missing.count == 1 ? "is" : "are") left out, and so the "
                        + "server deletes \(missing.count == 1 ? "it" : "them")."),
            severity: missing.isEmpty ? nil : .error, "d differs from v", range, &report)
    }
}
