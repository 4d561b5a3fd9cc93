import CSQLite
import Notation
import Storage
import Testing

@Suite("Texts that are kept until a statement has run are written as they are")
struct BoundTextTests {
    @Test func `whether there is room for them or not`() throws {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)")
        let insertion = try db.prepare("INSERT INTO texts VALUES (?, ?, ?, ?)")
        insertion.bindsAllForEachRun()
        var dice = SplitMix64(seed: 1)
        let lengths = [0, 1, 15, 16, 700, 1_024, 2_047, 2_048, 2_049, 5_000]
        var written: [[String?]] = []
        for id in 0..<500 as Range<Int64> {
            let texts = (0..<3).map { _ -> String? in
                guard Int.random(in: 0..<8, using: &dice) > 0 else { return nil }
                let letter = ["x", "é", "\u{0}", "🙂"][Int.random(in: 0..<4, using: &dice)]
                let length = lengths[Int.random(in: lengths.indices, using: &dice)]
                return String(repeating: letter, count: length / letter.utf8.count)
            }
            insertion.bind(1, id)
            for (place, text) in texts.enumerated() { insertion.bind(Int32(place) + 2, text) }
            try insertion.run()
            written.append(texts)
            // What fails leaves room for the next.
            insertion.bind(1, id)
            for (place, text) in texts.enumerated() { insertion.bind(Int32(place) + 2, text) }
            #expect(throws: StorageFault.self) { try insertion.run() }
        }
        let reading = try db.prepare("SELECT a, b, c FROM texts ORDER BY id")
        var read: [[String?]] = []
        while try reading.step() {
            read.append(
                (0..<3 as Range<Int32>).map { reading.isNull($0) ? nil : reading.string($0) })
        }
        #expect(read == written)
    }
}
