import Testing
import Wire

@testable import Capturing

@Suite("TLS of which bytes were not captured")
struct TLSGapTests {
    /// What is found when one record is left out or changed.
    private func events(
        _ vector: TLSVector, but number: Int, _ replacement: [UInt8]? = nil
    ) -> [TLSEvent] {
        var listener = TLSListener(vector.keys)
        for (index, record) in vector.records.enumerated() {
            if index != number {
                listener.hear(record.bytes, from: record.sender)
            } else if let replacement {
                listener.hear(replacement, from: record.sender)
            } else {
                listener.miss(record.bytes.count, from: record.sender)
            }
        }
        return listener.finish()
    }

    @Test(arguments: TLSVector.simple)
    func `is read around a record that is missing, whose content is counted`(vector: TLSVector) {
        let whole = TLSListener.events(vector).plainByTime
        for (index, record) in vector.records.enumerated() where record.bytes[0] != 22 {
            let time = Int64(index + 1)
            let events = events(vector, but: index)
            #expect(events.plainByTime == whole.filter { $0.key != time }, "record \(index)")
            #expect(events.sealed.map(\.missing).reduce(0, +) == Int64(record.bytes.count))
            #expect(events.sealed.allSatisfy { $0.reason == .notCaptured && $0.captured == 0 })
            guard let content = whole[time], !vector.name.contains("CBC") else { continue }
            #expect(events.sealed.map(\.plaintext) == [Int64(content.count)], "record \(index)")
        }
    }

    @Test(arguments: TLSVector.simple)
    func `stays sealed where a hello is missing`(vector: TLSVector) throws {
        for index in [0, try #require(vector.records.firstIndex { $0.sender == .server })] {
            let events = events(vector, but: index)
            #expect(events.plainByTime.isEmpty)
            #expect(events.sealed.contains { $0.reason == .noHello })
            #expect(events.facts.count == 1)
        }
    }

    @Test(arguments: TLSVector.simple)
    func `is read around any hole`(vector: TLSVector) throws {
        let whole = TLSListener.events(vector).plainByTime
        let first = Int(try #require(whole.keys.min()))
        var numbers = Dice(seed: 8)
        for _ in 0..<6 {
            let sender: Peer = numbers.below(2) == 0 ? .client : .server
            let late = vector.records.enumerated().filter {
                $0.element.sender == sender && $0.offset + 1 >= first
            }
            let start = try #require(late.first?.element.offset)
            let end = vector.stream(sender).count
            let from = start + numbers.below(end - start)
            let hole = from..<min(end, from + 1 + numbers.below(numbers.below(3) == 0 ? 30000 : 60))
            var listener = TLSListener(vector.keys, piece: [nil, 1, 100][numbers.below(3)])
            var expected = whole
            for (index, record) in vector.records.enumerated() {
                let range = record.offset..<record.offset + record.bytes.count
                guard record.sender == sender, range.overlaps(hole) else {
                    listener.hear(record.bytes, from: record.sender)
                    continue
                }
                expected[Int64(index + 1)] = nil
                let part = range.clamped(to: hole)
                let time = listener.time
                listener.hear(
                    Array(record.bytes.prefix(part.lowerBound - record.offset)), from: sender)
                listener.miss(part.count, from: sender)
                listener.hear(
                    Array(record.bytes.dropFirst(part.upperBound - record.offset)), from: sender)
                listener.time = time + 1
            }
            let events = listener.finish()
            #expect(events.plainByTime == expected, "\(sender) \(hole)")
            #expect(events.sealed.map(\.missing).reduce(0, +) == Int64(hole.count))
        }
    }

    @Test(arguments: TLSVector.simple)
    func `is read around a record that is damaged`(vector: TLSVector) {
        let whole = TLSListener.events(vector).plainByTime
        for (index, record) in vector.records.enumerated() where record.bytes[0] == 23 {
            var bytes = record.bytes
            bytes[bytes.count - 1] ^= 1
            let events = events(vector, but: index, bytes)
            #expect(events.plainByTime == whole.filter { $0.key != Int64(index + 1) })
            #expect(events.sealed.map(\.reason) == [.damaged])
            #expect(events.sealed.map(\.captured) == [Int64(bytes.count)])
        }
    }

    @Test(arguments: TLSVector.simple, [0, 3])
    func `is read behind a header that is damaged`(vector: TLSVector, place: Int) throws {
        let whole = TLSListener.events(vector).plainByTime
        for (index, record) in vector.records.enumerated()
        where record.bytes[0] == 23 && whole[Int64(index + 1)] != nil {
            var bytes = record.bytes
            bytes[place] ^= 0x1F
            let events = events(vector, but: index, bytes)
            let found = events.plainByTime
            // A wrong length may take in what follows; nothing is read that was not said.
            for (time, content) in found { #expect(whole[time] == content) }
            #expect(found[Int64(index + 1)] == nil)
            #expect(!events.sealed.isEmpty)
            if place == 0 { #expect(found.count == whole.count - 1) }
        }
    }

    @Test func `finds keys that changed unseen`() throws {
        let vector = TLSVector.named("1.3 key update")
        let whole = TLSListener.events(vector).plainByTime
        // Records of 27 bytes hold the five bytes of a key update.
        let updates = vector.records.indices.filter { vector.records[$0].bytes.count == 27 }
        #expect(updates.count >= 4)
        for index in updates {
            let found = events(vector, but: index).plainByTime
            #expect(found == whole, "record \(index)")
        }
    }

    @Test func `ends where a stream was cut within a record`() {
        let vector = TLSVector.named("1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
        var listener = TLSListener(vector.keys)
        for record in vector.records.dropLast(3) {
            listener.hear(record.bytes, from: record.sender)
        }
        let last = vector.records[vector.records.count - 3]
        listener.hear(Array(last.bytes.prefix(20)), from: last.sender)
        let sealed = listener.finish().sealed
        #expect(sealed.map(\.reason) == [.cutShort])
        #expect(sealed.map(\.captured) == [20])
        #expect(
            sealed.map(\.detail) == [
                "20 bytes of the \(last.sender) stay encrypted: the stream ends within a record"
            ])
    }

    @Test func `is found from its middle on`() {
        let vector = TLSVector.named("1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
        var listener = TLSListener(vector.keys)
        for record in vector.records.suffix(8) {
            listener.hear(record.bytes, from: record.sender)
        }
        let events = listener.finish()
        #expect(Set(events.sealed.map(\.reason)) == [.noHello])
        #expect(events.facts.isEmpty)
    }
}
