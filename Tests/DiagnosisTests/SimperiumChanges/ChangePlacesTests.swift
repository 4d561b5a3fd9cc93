import Notation
import Testing
import Wire

@testable import Diagnosis

@Suite("What is remembered by name is found as in a dictionary")
struct ChangePlacesTests {
    /// A generator with a seed.
    private struct Steps {
        var state: UInt64

        mutating func below(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
    }

    @Test func `a dictionary and it hold the same`() {
        var steps = Steps(state: 7)
        let names = (0..<300).map {
            SimperiumChangePlace(owner: Int32($0 % 3), key: ExactText("k\($0 / 3)"))
        }
        var recent = SimperiumChangeRecent<Int>(most: .max)
        var known: [SimperiumChangePlace: Int] = [:]
        for number in 0..<20_000 {
            let name = names[steps.below(names.count)]
            switch steps.below(500) {
            case 0:
                recent.removeAll()
                known = [:]
            case ..<240:
                recent.remove(name)
                known[name] = nil
            default:
                recent.set(name, number, cost: 1)
                known[name] = number
            }
            let other = names[steps.below(names.count)]
            #expect(recent.peek(name) == known[name] && recent.peek(other) == known[other])
        }
        #expect(names.allSatisfy { recent.peek($0) == known[$0] })
    }

    @Test func `what was used is kept when the rest is forgotten`() {
        let names = (0..<2_000).map { SimperiumChangePlace(owner: 1, key: ExactText("k\($0)")) }
        var recent = SimperiumChangeRecent<Int>(most: 200)
        for (number, name) in names.enumerated() {
            recent.set(name, number, cost: 1)
            #expect(recent.use(names[0]) != nil && recent.peek(name) == number)
        }
        #expect(recent.values.count <= 202 && recent.peek(names[1]) == nil)
    }

    @Test func `the same fingerprint is not the same name`() {
        var places = SimperiumChangePlaces()
        for place in 0..<100 { places.add(place, 42, count: place + 1) }
        #expect(places.place(42) { $0 == 77 } == 77)
        #expect(places.place(42) { $0 == 100 } == nil && places.place(43) { _ in true } == nil)
        places.remove(77, 42)
        places.move(99, 42, to: 77)
        #expect(places.place(42) { $0 == 99 } == nil && places.place(42) { $0 == 77 } == 77)
    }

    @Test(arguments: ["", "a", "12345678", "123456789", "ключ", String(repeating: "k", count: 70)])
    func `names are the same only byte for byte`(_ text: String) {
        #expect(SimperiumName.isSame(text, String(decoding: Array(text.utf8), as: UTF8.self)))
        #expect(!SimperiumName.isSame(text, text + "x"))
        var other = Array(text.utf8)
        guard let last = other.popLast() else { return }
        other.append(last ^ 1)
        #expect(!SimperiumName.isSame(text, String(decoding: other, as: UTF8.self)))
    }

    @Test func `fingerprints of names that are alike are not`() {
        var prints: Set<Int> = []
        var low = Array(repeating: 0, count: 256)
        var count = 0
        for number in 0..<10_000 {
            let zeros = String(repeating: "\0", count: number % 300)
            for text in ["\(number)", "object-\(number)", zeros + "\(number / 300)" + zeros] {
                for owner in 0..<3 as Range<Int32> {
                    let print = SimperiumName.print(of: text, owner)
                    prints.insert(print)
                    low[print & 0xFF] += 1
                    count += 1
                }
            }
        }
        // Of the last, 34 have no zeros, and are among the first.
        #expect(prints.count == count - 3 * 34)
        #expect((low.max() ?? 0) < 3 * count / 512)
    }

    @Test func `spellings of one character are two names`() {
        #expect(!SimperiumName.isSame("s\u{323}\u{307}", "s\u{307}\u{323}"))
    }
}
