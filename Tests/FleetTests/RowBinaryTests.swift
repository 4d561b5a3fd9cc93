import Filters
import Testing

@testable import Fleet

/// Rows as they are sent.
struct RowBinaryTests {
    @Test func `values are in the order of the format`() {
        let rows = RowBinary()
        rows.append(-2)
        rows.append(day: 20_000)
        rows.append(isNull: true)
        rows.append(texts: [[0x61], []])
        #expect(
            rows.bytes == [0xFE] + Array(repeating: 0xFF, count: 7) + [
                0x20, 0x4E, 1, 2, 1, 0x61, 0,
            ])
        let long = RowBinary()
        long.append(text: Array(repeating: 7, count: 300))
        #expect(long.bytes.prefix(2) == [0xAC, 0x02] && long.bytes.count == 302)
    }

    @Test func `days are those of a date`() {
        #expect(DayText.day(0) == 0 && DayText.day(-1) == 0)
        #expect(DayText.day(86_400_000_000_000) == 1)
        #expect(DayText.day(86_399_999_999_999) == 0)
        #expect(DayText.day(Int64.max) == 65_535)
    }

    @Test func `checksums of different bytes differ`() {
        #expect(RowChecksum.of([]) != RowChecksum.of([0]))
        #expect(RowChecksum.of([1, 2, 3]) != RowChecksum.of([1, 3, 2]))
        let bytes: [UInt8] = Array(0..<100)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(RowChecksum.of(other) != RowChecksum.of(bytes))
        }
    }

    /// The value of each name is what the filter language reads in the head.
    @Test(
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\nX-A:  1 \r\nx-a: 2\r\n\r\nbody: 3",
            "GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\tmore\r\nB:\r\n\r\n",
            "HTTP/1.1 200 OK\nNoColon\n continued\nC : x\n\n", "", "GET / HTTP/1.1", "\r\n\r\n",
            "G\r\n: empty\r\nD: :\r\n", "G\r\nE: 1\r\n \r\nF: 2\r\n",
        ])
    func `fields are those that filters read`(head: String) throws {
        let (names, values) = Array(head.utf8).withUnsafeBytes { raw in
            var lines = HeadLines()
            lines.read(raw)
            let names = RowBinary()
            lines.appendNames(of: raw, to: names)
            let values = RowBinary()
            lines.appendValues(of: raw, to: values)
            return (Self.texts(names.bytes), Self.texts(values.bytes))
        }
        try #require(names.count == values.count)
        for name in Set(names) where !name.isEmpty {
            let joined = zip(names, values).filter { $0.0 == name }.map(\.1)
                .joined(separator: ", ")
            let found = Array(head.utf8).withUnsafeBytes { HeadFields.value(of: name, in: $0) }
            #expect(found == joined, "\(name)")
        }
    }

    private static func texts(_ bytes: [UInt8]) -> [String] {
        var texts: [String] = []
        var place = 1
        while place < bytes.count {
            let count = Int(bytes[place])
            texts.append(String(decoding: bytes[place + 1..<place + 1 + count], as: UTF8.self))
            place += 1 + count
        }
        return texts
    }
}
