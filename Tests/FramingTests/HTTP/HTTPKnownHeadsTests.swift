import Framing
import Notation
import Testing

@Suite("Heads that come again") struct HTTPKnownHeadsTests {
    @Test func `are framed as without knowing them, whoever read them before`() {
        var random = SplitMix64(seed: 23)
        let broken = (0..<300 as Range<UInt64>).map { seed in
            var random = SplitMix64(seed: seed)
            return HTTPMutation.make(using: &random)
        }
        let samples = HTTPCorpus.all + broken
        let known = HTTPKnownHeads()
        for round in 0..<6 as Range<UInt64> {
            for sample in samples.shuffled(using: &random) {
                let alone = HTTPTranscript.make(sample)
                let whole = [sample.bytes.count]
                #expect(HTTPTranscript.make(sample, cuts: whole, known: known) == alone)
                // Once more at once, when each of its heads that is kept is there.
                #expect(HTTPTranscript.make(sample, cuts: whole, known: known) == alone)
                let cuts = HTTPSample.cuts(of: sample.bytes.count, seed: round)
                #expect(HTTPTranscript.make(sample, cuts: cuts, known: known) == alone)
            }
        }
    }

    @Test func `end as what they answer has it`() {
        let known = HTTPKnownHeads()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        let bytes = Array((head + "abc" + head).utf8)
        for kinds in [[HTTPRequestKind.other, .head], [.head, .other], [.other, .other]] {
            var (framers, events): ([HTTPFramer], [[HTTPEvent]]) = ([], [])
            for known in [nil, known, known] {
                var framer = HTTPFramer(role: .response)
                var found: [HTTPEvent] = []
                for kind in kinds { framer.expect(kind) }
                _ = framer.consume(bytes.span, into: &found, known: known)
                framers.append(framer)
                events.append(found)
            }
            #expect(events[1] == events[0] && events[2] == events[0], "\(kinds)")
            #expect(Set(framers.map(\.stage)).count == 1)
        }
    }

    /// The identities of the heads in these bytes, each of which one framer reads at once.
    private func identities(
        _ texts: [String], _ known: HTTPKnownHeads
    ) -> (kept: [HTTPHead], identities: [ObjectIdentifier]) {
        var framer = HTTPFramer(role: .request)
        var heads: [HTTPHead] = []
        for text in texts {
            var events: [HTTPEvent] = []
            _ = framer.consume(Array(text.utf8).span, into: &events, known: known)
            for case .head(let head, _) in events { heads.append(head) }
        }
        return (heads, heads.map(\.identity))
    }

    private func request(_ path: String, _ field: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: forms.example.org\r\n\(field)\r\n"
    }

    @Test func `are recognized on any connection`() {
        let known = HTTPKnownHeads()
        let texts = (0..<12).map { request("/a/\($0)") } + [request("/b", "Cookie: a=b\r\n")]
        let (first, identities) = self.identities(texts, known)
        #expect(first.count == texts.count && Set(identities).count == texts.count)
        let (second, again) = self.identities(texts.reversed(), known)
        // Some may have had to make room for others.
        let recognized = zip(identities, again.reversed()).count { $0 == $1 }
        #expect(recognized >= texts.count - 2)
        #expect(Set(second.map(\.bytes)) == Set(first.map(\.bytes)))
        // Where they stand is not what is recognized.
        #expect(second.map(\.start) != first.map(\.start))
    }

    @Test func `are not kept where they are long`() {
        let known = HTTPKnownHeads()
        let rest = request("/long", "X: \r\n").utf8.count
        for (length, isKept) in [(2_048, true), (2_049, false)] {
            let text = request("/long", "X: \(String(repeating: "x", count: length - rest))\r\n")
            #expect(text.utf8.count == length)
            let (heads, found) = self.identities([text, text], known)
            #expect(heads.count == 2 && (found[0] == found[1]) == isKept)
        }
    }

    @Test func `are other ones where a byte is another`() {
        let known = HTTPKnownHeads()
        let text = Array(request("/a", "Content-Length: 10\r\n").utf8)
        for place in text.indices {
            var other = text
            other[place] ^= 1
            for bytes in [text, other, text] {
                var (alone, together): ([HTTPEvent], [HTTPEvent]) = ([], [])
                var framer = HTTPFramer(role: .request)
                _ = framer.consume(bytes.span, into: &alone)
                framer = HTTPFramer(role: .request)
                _ = framer.consume(bytes.span, into: &together, known: known)
                #expect(together == alone, "byte \(place)")
            }
        }
    }
}
