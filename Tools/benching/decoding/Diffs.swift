import Notation
import Simperium
import Wire

/// A note of 50 KB with ten edits: diff, apply and transform.
func measureDiff() throws {
    var random = Numbers(state: 20_130_701)
    let words = ["sync", "the", "Größe", "note", "日本語", "😀", "edit", "of", "a", "line.\n"]
    var note: [String] = []
    var size = 0
    while size < 50_000 {
        let word = words[Int(random.next() % UInt64(words.count))]
        note.append(word)
        size += word.utf8.count + 1
    }
    func edited(_ edits: Int) -> [String] {
        var other = note
        for _ in 0..<edits {
            let place = Int(random.next() % UInt64(other.count))
            if random.next() % 2 == 0 {
                other[place] = "changed \(random.next() % 1000)"
            } else {
                other.insert("new 💩", at: place)
            }
        }
        return other
    }
    func object(_ words: [String]) -> JSONValue {
        .object(JSONObject([JSONObject.Member("content", .string(words.joined(separator: " ")))]))
    }
    let base = object(note)
    let (mine, theirs) = (object(edited(10)), object(edited(10)))
    let local = try JSONDiff.diff(base, mine)
    let remote = try JSONDiff.diff(base, theirs)
    let back = try JSONDiff.apply(local, to: base)
    precondition(back == mine, "the diff is wrong")
    report([
        "diff_ms": try median(of: 1) { _ = try JSONDiff.diff(base, mine) } * 1e3,
        "apply_ms": try median(of: 1) { _ = try JSONDiff.apply(local, to: base) } * 1e3,
        "transform_ms": try median(of: 1) {
            _ = try JSONDiff.transform(local, over: remote, base: base)
        } * 1e3,
    ])
}

/// SplitMix64: the same numbers in each run.
struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
