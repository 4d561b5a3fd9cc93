import CSQLite
import Notation
import Testing

@testable import Storage

/// Words that this program cuts are those that SQLite cuts, place by place.
@Suite struct WordTokenizerTests {
    /// Pieces of text: words, what separates them, marks that change the letter before, bytes that are no UTF-8.
    private static let pieces =
        [
            "a", "Z", "word", "WORD9", "x0_y", "é", "É", "ß", "中", "e\u{301}", "\u{301}", "—",
            "\u{A0}", " ", "\n",
            "<", "\">", "\0", "[", "`", "{", "@", "/", ":", "\u{1F600}", "\u{7F}",
        ].map { Array($0.utf8) } + [[0x80], [0xC3], [0xE4, 0xB8], [0xFF], [0xF0, 0x9F]]

    private static func text(_ random: inout SplitMix64, pieces count: Int) -> [UInt8] {
        var text: [UInt8] = []
        // Some texts are nearly all ASCII, as most are.
        let known = random.next() % 2 == 0 ? pieces.count : 5
        for _ in 0..<count { text += pieces[Int(random.next() % UInt64(known))] }
        return text
    }

    /// Connections with an index of words that stores where each is, one with SQLite's own tokenizer.
    private static func indexes() throws -> (own: Connection, theirs: Connection) {
        func index(isOwn: Bool) throws -> Connection {
            let db = try Connection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            if isOwn { try db.splitWords() }
            try db.execute(
                """
                CREATE VIRTUAL TABLE search USING fts5(text, tokenize='unicode61');
                CREATE VIRTUAL TABLE places USING fts5vocab('search', 'instance');
                """)
            return db
        }
        return (try index(isOwn: true), try index(isOwn: false))
    }

    /// Adds a text, and gives its words in place of those before.
    private static func words(of text: [UInt8], in db: Connection) throws -> [String] {
        let add = try db.prepare("INSERT INTO search(rowid, text) VALUES (1, ?)")
        try text.withUnsafeBytes { bytes in
            add.bind(1, borrowed: bytes, asText: true)
            try add.run()
        }
        let all = try db.prepare("SELECT hex(term) || offset FROM places ORDER BY offset, term")
        var words: [String] = []
        while try all.step() { words.append(all.string(0)) }
        // What highlights words asks for where they are in the text.
        let marked = try db.prepare(
            "SELECT hex(highlight(search, 0, '|', '|')) FROM search WHERE search MATCH 'word OR e OR a'"
        )
        if try marked.step() { words.append(marked.string(0)) }
        marked.reset()
        try db.execute("DELETE FROM search")
        return words
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func randomTexts(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (own, theirs) = try Self.indexes()
        var all = 0
        for _ in 0..<200 {
            let text = Self.text(&random, pieces: Int(random.next() % 60))
            let words = try Self.words(of: text, in: theirs)
            try #expect(Self.words(of: text, in: own) == words, "\(text)")
            all += words.count
        }
        #expect(all > 1_000)
    }

    /// Words that begin before the end of a window or fill one, of ASCII or not.
    @Test(arguments: [32_766, 32_767, 32_768, 32_769, 70_000]) func longTexts(length: Int) throws {
        let (own, theirs) = try Self.indexes()
        let long = Array(repeating: UInt8(ascii: "Q"), count: length)
        for text in [
            long, long + Array("é b".utf8), Array("é".utf8) + long + Array(" B c".utf8),
            Array("a ".utf8) + long.dropLast(4) + Array(" word word2 ".utf8) + long,
            Array(repeating: UInt8(ascii: " "), count: length - 2) + Array("word a".utf8),
        ] {
            try #expect(Self.words(of: text, in: own) == Self.words(of: text, in: theirs))
        }
    }

    /// Pieces are the same whichever windows they are found in.
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func windows(seed: UInt64) {
        func pieces(_ text: [UInt8], window: Int) -> [String] {
            let splitter = WordSplitter(window: window)
            defer { splitter.deallocate() }
            var all: [String] = []
            let answer = text.withUnsafeBytes { bytes in
                splitter.split(bytes) { piece in
                    switch piece {
                    case .word(let word, let range):
                        all.append("\(range) \(String(decoding: word, as: UTF8.self))")
                    case .other(let range):
                        let isASCII = bytes[range].allSatisfy { $0 < 0x80 }
                        let lower = String(decoding: bytes[range], as: UTF8.self).lowercased()
                        all.append("\(range) \(isASCII ? lower : "")")
                    }
                    return 0
                }
            }
            #expect(answer == 0)
            return all
        }
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let text = Self.text(&random, pieces: 30)
            let known = pieces(text, window: 1 << 10)
            for window in 1...24 { #expect(pieces(text, window: window) == known) }
        }
    }

    /// Whoever takes words may end that; options of a table are SQLite's to follow.
    @Test func answersAndOptions() throws {
        let splitter = WordSplitter()
        defer { splitter.deallocate() }
        var taken = 0
        let answer = Array("a b é d".utf8).withUnsafeBytes { bytes in
            splitter.split(bytes) { _ in
                taken += 1
                return taken == 3 ? 9 : 0
            }
        }
        #expect(answer == 9 && taken == 3)

        let (own, _) = try Self.indexes()
        try own.execute(
            """
            CREATE VIRTUAL TABLE other USING fts5(text, tokenize='unicode61 tokenchars ''-_''');
            INSERT INTO other VALUES ('one-two_three');
            """)
        #expect(
            try own.integer("SELECT count(*) FROM other WHERE other MATCH '\"one-two_three\"'") == 1
        )
        #expect(try own.integer("SELECT count(*) FROM other WHERE other MATCH 'one'") == 0)
    }
}
