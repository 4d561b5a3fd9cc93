import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct CaseStateExplanationTests {
    private func explain(
        device: [String], predicted: [String], seen: [String]
    ) -> CaseStateExplanation {
        CaseStateExplanation.explain(
            sent: CaseStateHash(caseIDs: device), predicted: CaseStateHash(caseIDs: predicted),
            predictedIDs: Set(predicted.map(ExactText.init)), seen: seen)
    }

    @Test func `names the one case`() {
        #expect(explain(device: ["a", "b"], predicted: ["b", "a"], seen: []) == .same)
        #expect(explain(device: [], predicted: [], seen: []) == .same)
        #expect(
            explain(device: ["a"], predicted: ["a", "b"], seen: ["z"])
                == .one(.init("b", isMissingOnDevice: true)))
        #expect(
            explain(device: ["a", "z"], predicted: ["a"], seen: ["y", "z"])
                == .one(.init("z", isMissingOnDevice: false)))
        #expect(
            explain(device: [], predicted: ["a"], seen: [])
                == .one(.init("a", isMissingOnDevice: true)))
    }

    @Test func `names two cases on either side`() {
        #expect(
            explain(device: ["a", "z"], predicted: ["a", "b"], seen: ["z", "b", "z"])
                == .two([
                    .init(
                        first: .init("z", isMissingOnDevice: false),
                        second: .init("b", isMissingOnDevice: true))
                ]))
        #expect(
            explain(device: ["a"], predicted: ["a", "b", "c"], seen: [])
                == .two([
                    .init(
                        first: .init("b", isMissingOnDevice: true),
                        second: .init("c", isMissingOnDevice: true))
                ]))
    }

    @Test func `knows when it does not know`() {
        #expect(explain(device: ["a"], predicted: ["b", "c", "d"], seen: ["e"]) == .unknown)
        #expect(explain(device: ["unseen"], predicted: [], seen: ["a"]) == .unknown)
    }

    @Test func `finds every one and every two of 2000 sets`() {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            let ids = (0..<Int.random(in: 2...40, using: &random)).map { "case-\($0)-é😀-\(seed)" }
            let predicted = ids.filter { _ in Bool.random(using: &random) }
            var device = Set(predicted)
            let differing = ids.shuffled(using: &random).prefix(
                Int.random(in: 0...2, using: &random))
            device.formSymmetricDifference(differing)
            let found = explain(device: Array(device), predicted: predicted, seen: ids)
            let expected = differing.map {
                CaseStateExplanation.Difference($0, isMissingOnDevice: predicted.contains($0))
            }
            switch (found, expected.count) {
            case (.same, 0): break
            case (.one(let one), 1): #expect(one == expected[0])
            case (.two(let pairs), 2):
                #expect(
                    pairs.count == 1
                        && Set(pairs.flatMap { [$0.first, $0.second] }) == Set(expected))
            default: Issue.record("seed \(seed): \(found)")
            }
        }
    }
}
