import Testing
import Wire

@testable import Capturing

@Suite("TLS that another program spoke")
struct TLSStreamTests {
    @Test func `there are sessions to read`() {
        #expect(TLSVector.simple.count >= 13)
        #expect(TLSVector.all.count >= 20)
    }

    @Test(arguments: TLSVector.readable)
    func `is decrypted with its key log`(vector: TLSVector) {
        let events = TLSListener.events(vector)
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(events.sealed.isEmpty)
        #expect(events.facts.map(\.detail) == [vector.detail])
        #expect(events.notes.isEmpty)
        #expect(
            events.alerts.first?.detail
                == "the client sent encrypted alert 0 (close_notify, warning)"
        )
    }

    @Test(arguments: TLSVector.all)
    func `is the same in pieces as at once`(vector: TLSVector) {
        let whole = TLSListener.events(vector)
        #expect(TLSListener.events(vector, piece: 1) == whole)
        #expect(TLSListener.events(vector, piece: 700) == whole)
        let sealed = TLSListener.events(vector, KeyLog())
        #expect(TLSListener.events(vector, KeyLog(), piece: 1) == sealed)
    }

    @Test(arguments: TLSVector.all)
    func `stays sealed without a key log, and says how much`(vector: TLSVector) {
        let events = TLSListener.events(vector, KeyLog())
        let isVersion13 = vector.detail.contains("TLS 1.3")
        let offers = vector.detail.contains("ALPN")
        let expected =
            isVersion13 && offers
            ? vector.detail.replacing("ALPN http/1.1", with: "ALPN offered http/1.1")
            : vector.detail
        // Whether a session goes on, and hellos are repeated, is plain to see.
        #expect(events.facts.map(\.detail) == [expected])
        for sender in Peer.allCases {
            #expect(events.plain(sender).isEmpty)
            let sealed = vector.records.filter { $0.sender == sender && $0.bytes[0] == 23 }
            let reported = events.sealed.filter { $0.sender == sender }
            #expect(reported.map(\.captured) == sealed.map { Int64($0.bytes.count) })
            #expect(reported.allSatisfy { $0.missing == 0 && $0.plaintext == nil })
        }
    }

    @Test func `with a cipher suite or a version that is not decrypted says which`() {
        let names = [
            "sealed 1.2 TLS_ECDHE_ECDSA_WITH_AES_128_CCM": "TLS_ECDHE_ECDSA_WITH_AES_128_CCM",
            "sealed 1.1": "TLS 1.1",
        ]
        for (name, unsupported) in names {
            let vector = TLSVector.named(name)
            let events = TLSListener.events(vector)
            #expect(Set(events.sealed.map(\.reason)) == [.unsupported(unsupported)])
            #expect(events.facts.map(\.detail) == [vector.detail])
            #expect(events.alerts.first?.detail == "the client sent an encrypted alert")
        }
    }

    @Test func `reads early data with its secret alone`() {
        let vector = TLSVector.named("1.3 early data")
        let early = Array("said before the server answered\n".utf8)
        let events = TLSListener.events(vector)
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(events.sealed.isEmpty)
        #expect(
            events.facts.map(\.detail) == [
                vector.detail.replacing("early data offered", with: "early data accepted")
            ])
        let text = vector.keyText.split(separator: "\n").filter {
            !$0.hasPrefix("CLIENT_EARLY")
        }
        let without = TLSListener.events(vector, TLSVector.keys(text.joined(separator: "\n")))
        #expect(early + without.plain(.client) == vector.plain[.client])
        #expect(without.plain(.server) == vector.plain[.server])
        #expect(Set(without.sealed.map(\.reason)) == [.earlyData])
        #expect(without.sealed.allSatisfy { $0.sender == .client })
    }

    @Test func `leaves early data sealed that the server refused`() {
        let vector = TLSVector.named("1.3 refused early data")
        let events = TLSListener.events(vector)
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(Set(events.sealed.map(\.reason)) == [.earlyDataRefused])
        #expect(events.facts.map(\.detail) == [vector.detail.replacing("offered", with: "refused")])
    }

    @Test func `is read up to a renegotiation`() {
        let events = TLSListener.events(.named("renegotiated 1.2"))
        #expect(String(decoding: events.plain(.client), as: UTF8.self) == "before it\n")
        #expect(String(decoding: events.plain(.server), as: UTF8.self) == "ti erofeb\n")
        #expect(events.notes.count == 1)
        #expect(Set(events.sealed.map(\.reason)) == [.renegotiated])
    }

    @Test(arguments: TLSVector.simple)
    func `is read from where its secrets become known`(vector: TLSVector) throws {
        let half = vector.records.count / 2
        var listener = TLSListener(KeyLog())
        for record in vector.records.prefix(half) {
            listener.hear(record.bytes, from: record.sender)
        }
        listener.keys = vector.keys
        for record in vector.records.dropFirst(half) {
            listener.hear(record.bytes, from: record.sender)
        }
        let events = listener.finish()
        let expected = TLSListener.events(vector).plainByTime.filter { $0.key > Int64(half) }
        #expect(!expected.isEmpty)
        #expect(events.plainByTime == expected)
    }

    @Test(arguments: TLSVector.readable.filter { $0.name.hasPrefix("1.3") })
    func `needs no secrets of the handshake`(vector: TLSVector) {
        let text = vector.keyText.split(separator: "\n").filter { !$0.contains("HANDSHAKE") }
        let events = TLSListener.events(vector, TLSVector.keys(text.joined(separator: "\n")))
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(events.facts.count == 1)
    }

    @Test(arguments: TLSVector.readable, Peer.allCases)
    func `is read though all packets of one side come first`(vector: TLSVector, first: Peer) {
        var listener = TLSListener(vector.keys)
        for sender in [first, first.other] { listener.hear(vector.stream(sender), from: sender) }
        let events = listener.finish()
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(events.facts.map(\.detail) == [vector.detail])
        #expect(events.sealed.isEmpty)
    }

    @Test func `is read where a hello comes in many records`() {
        let vector = TLSVector.named("1.3 TLS_AES_256_GCM_SHA384")
        var listener = TLSListener(vector.keys)
        for (index, record) in vector.records.enumerated() {
            guard index == 0 else {
                listener.hear(record.bytes, from: record.sender)
                continue
            }
            for start in stride(from: 5, to: record.bytes.count, by: 10) {
                let part = record.bytes[start..<min(start + 10, record.bytes.count)]
                listener.hear([22, 3, 1, 0, UInt8(part.count)] + part, from: .client)
            }
        }
        let events = listener.finish()
        for sender in Peer.allCases { #expect(events.plain(sender) == vector.plain[sender]) }
        #expect(events.facts.map(\.detail) == [vector.detail])
    }

    @Test func `tells of a refusal`() {
        var listener = TLSListener(KeyLog())
        let hello = TLSVector.named("1.3 TLS_AES_256_GCM_SHA384").records[0]
        listener.hear(hello.bytes, from: .client)
        listener.hear([21, 3, 3, 0, 2, 2, 40], from: .server)
        let events = listener.finish()
        #expect(events.facts.map(\.detail) == ["server name sync.example, ALPN offered http/1.1"])
        #expect(
            events.alerts.map(\.detail) == ["the server sent alert 40 (handshake_failure, fatal)"])
    }

    @Test func `is told from other streams by its first bytes`() {
        for vector in TLSVector.readable {
            for record in vector.records where record.bytes[0] != 22 || record.offset == 0 {
                #expect(TLSStream.looksLikeTLS(record.bytes[...]) == true)
            }
        }
        for text in ["GET / HTTP/1.1\r\n", "SSH-2.0-x", "\u{16}", "\u{16}\u{3}\u{1}\u{0}\u{4}"] {
            let isShort = text.utf8.first == 22
            #expect(TLSStream.looksLikeTLS(Array(text.utf8)[...]) == (isShort ? nil : false))
        }
        #expect(TLSStream.looksLikeTLS([]) == nil)
        #expect(TLSStream.looksLikeTLS([22, 3, 1, 0, 80, 9]) == false)
        #expect(TLSStream.looksLikeTLS([22, 0]) == false)
    }
}
