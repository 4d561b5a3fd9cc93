import Notation
import Testing

@testable import Capturing

@Suite("Pieces wait in order and without overlap")
struct PieceQueueTests {
    /// Puts pieces in by chance, and compares with a table of the first copy of each byte.
    @Test(arguments: 0..<50)
    func againstTable(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = PieceQueue()
        var table: [Position: UInt8?] = [:]
        for round in 0..<60 {
            let start = Position(random.below(200))
            let piece = Piece(
                start: start, requires: 0, atUnixNanoseconds: 0, order: Int64(round))
            if random.chance(25) {
                var absent = piece
                absent.absent = Position(random.below(30))
                queue.insertAbsent(absent)
                for place in start..<start + absent.absent where table[place] == nil {
                    table[place] = .some(nil)
                }
            } else {
                let bytes = (0..<random.below(30)).map { _ in UInt8(random.below(4)) }
                var expected = PieceQueue.Outcome()
                for (offset, byte) in bytes.enumerated() {
                    switch table[start + Position(offset)] {
                    case .some(.some(byte)): expected.duplicate += 1
                    case .some(.some): expected.conflicting += 1
                    default:
                        expected.kept += 1
                        table[start + Position(offset)] = byte
                    }
                }
                #expect(queue.insert(bytes[...], as: piece) == expected)
            }
            if random.chance(20), !queue.isEmpty { forget(queue.removeFirst(), &table) }
        }
        while !queue.isEmpty {
            let piece = queue.removeFirst()
            if let start = queue.start { #expect(piece.end <= start) }
            forget(piece, &table)
        }
        #expect(table.isEmpty)
        #expect(queue.cost == 0)
    }

    private func forget(_ piece: Piece, _ table: inout [Position: UInt8?]) {
        for place in piece.start..<piece.end {
            let byte = piece.isAbsent ? nil : piece.bytes[Int(place - piece.start)]
            #expect(table.removeValue(forKey: place) == .some(byte))
        }
    }
}

@Suite("A list keeps the order of its numbers")
struct RecencyListTests {
    @Test func againstArray() {
        var random = SplitMix64(seed: 1)
        var list = RecencyList()
        var array: [Int] = []
        for _ in 0..<2000 {
            let number = random.below(12)
            if random.chance(60) {
                list.append(number)
                array.removeAll { $0 == number }
                array.append(number)
            } else {
                list.remove(number)
                array.removeAll { $0 == number }
            }
            #expect(list.first == array.first)
            #expect(list.count == array.count)
            #expect(list.contains(number) == array.contains(number))
        }
    }
}
