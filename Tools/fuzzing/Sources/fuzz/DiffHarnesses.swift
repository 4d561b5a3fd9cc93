internal import Notation
internal import Simperium
internal import Wire

extension Harness {
    static let diffs: [Harness] = [textDiff, textTransform, diff, transform]

    /// Makes a delta of the first line to the second; the rest is a third text.
    private static let textDiff = Harness(name: "delta-diff") { bytes in
        let texts = Input.lines(bytes, most: 2).map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 2 else { return }
        let delta = StringDelta.diff(from: texts[0], to: texts[1])
        demand(
            same(try? delta.apply(to: texts[0]), texts[1]), "the delta does what it was made for")
        demand(!delta.splitsPair(of: texts[0]), "no pair is split")
        demand((try? StringDelta(parsing: delta.text)) == delta, "written and read it is the same")
    }

    /// Rebases the change to the second line over that to the third; both are of the first.
    private static let textTransform = Harness(name: "delta-transform") { bytes in
        let texts = Input.lines(bytes, most: 3).map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 3 else { return }
        let local = StringDelta.diff(from: texts[0], to: texts[1])
        let remote = StringDelta.diff(from: texts[0], to: texts[2])
        guard let left = try? local.transform(over: remote, base: texts[0]),
            let result = try? left.apply(to: texts[2])
        else { return demand(false, "what is left can be applied") }
        demand(!left.splitsPair(of: texts[2]), "no pair is split")
        if remote.changesNothing { demand(same(result, texts[1]), "over nothing all is left") }
        if local.changesNothing { demand(same(result, texts[2]), "of nothing nothing is left") }
    }

    private static func same(_ a: String?, _ b: String) -> Bool {
        a.map(ExactText.init) == .init(b)
    }

    /// Compares the objects in the first two lines; the first byte chooses how.
    private static let diff = Harness(name: "diff") { bytes in
        var input = Input(bytes)
        let policy = policy(input.choice())
        let lines = Input.lines(input.bytes, most: 2)
        guard lines.count == 2, let old = value(lines[0]), let new = value(lines[1]),
            old.kind == new.kind, old.kind == .object || old.kind == .array
        else { return }
        guard let map = try? JSONDiff.diff(old, new, policy: policy),
            let result = try? JSONDiff.apply(map, to: old)
        else { return demand(false, "what is found can be applied") }
        demand(result.isSame(as: new), "the change does what it was made for: \(map.text())")
        demand(
            (try? JSONDiff.diff(new, result, policy: policy)).map(JSONDiff.isEmpty) == true,
            "afterwards nothing is left to change")
        demand(value(map.bytes()) == map, "written and read it is the same")
    }

    /// Rebases the map in the second line over that in the third; both are for the first.
    private static let transform = Harness(name: "transform") { bytes in
        var input = Input(bytes)
        let policy = policy(input.choice())
        let lines = Input.lines(input.bytes, most: 3)
        guard lines.count == 3, let base = value(lines[0]), var local = value(lines[1]),
            var remote = value(lines[2])
        else { return }
        if (try? JSONDiff.apply(local, to: base)) == nil {
            // Not maps of operations, but what the two sides made of it.
            guard let ours = try? JSONDiff.diff(base, local, policy: policy),
                let theirs = try? JSONDiff.diff(base, remote, policy: policy)
            else { return }
            (local, remote) = (ours, theirs)
        }
        guard let now = try? JSONDiff.apply(remote, to: base),
            let wanted = try? JSONDiff.apply(local, to: base)
        else { return }
        let left: JSONValue
        do throws(DiffError) {
            left = try JSONDiff.transform(local, over: remote, base: base, policy: policy)
        } catch {
            return demand(false, "what can be applied can be rebased: \(error)")
        }
        do throws(DiffError) {
            let result = try JSONDiff.apply(left, to: now)
            if now == base { demand(result.isSame(as: wanted), "over nothing all is left") }
        } catch {
            demand(false, "what is left can be applied: \(left.text()): \(error)")
        }
    }

    private static func value(_ bytes: [UInt8]) -> JSONValue? {
        (try? JSONDocument.scan(bytes)).map { JSONValue($0.root) }
    }

    private static func policy(_ choice: UInt8) -> DiffPolicy {
        DiffPolicy(
            lists: DiffPolicy.Lists.allCases[Int(choice & 3) % 3],
            integers: choice & 4 == 0 ? .replace : .increment,
            strings: choice & 8 == 0 ? .delta : .replace)
    }
}
