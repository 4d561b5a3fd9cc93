import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct SyncLogTests {
    private static let me = Set([ExactText("me")])

    private func new(_ id: String, owner: String = "me", _ indices: CaseBlock.Index...) -> CaseBlock
    {
        .of(id, create: .init(caseType: "t", caseName: "n", ownerID: owner), indices: indices)
    }

    private func log(_ forms: [CaseBlock]...) -> SyncLog {
        var log = SyncLog(ownerIDs: Self.me)
        for form in forms { log.apply(form) }
        return log
    }

    private func ids(_ log: SyncLog) -> [String] { log.caseIDs.map(\.string).sorted() }

    @Test func `adds what is created for the user, and not for others`() {
        let log = log([new("a"), new("b", owner: "you")])
        #expect(ids(log) == ["a"])
        #expect(log.stateHash == CaseStateHash(caseIDs: ["a"]))
    }

    @Test func `a closed case goes, unless a child keeps it`() {
        #expect(ids(log([new("a"), new("b")], [.of("a", close: true)])) == ["b"])
        let kept = log(
            [new("p"), new("c", .init(name: "parent", target: "p"))], [.of("p", close: true)])
        #expect(ids(kept) == ["c", "p"])
        #expect(kept.dependentIDs == [ExactText("p")])
        var gone = kept
        gone.apply([.of("c", close: true)])
        #expect(ids(gone) == [])
        #expect(gone.dependentIDs.isEmpty)
    }

    @Test func `a child that goes takes the parent with it only if nothing else keeps that`() {
        var log = log(
            [
                new("p", owner: "you"), new("c", .init(name: "parent", target: "p")),
                new("d", .init(name: "parent", target: "p")),
            ])
        // The parent is another's: it is there since the children are.
        #expect(log.caseIDs.isSuperset(of: [ExactText("c"), ExactText("d"), ExactText("p")]))
        log.apply([.of("c", close: true)])
        #expect(ids(log) == ["d", "p"])
        log.apply([.of("d", update: [.init("owner_id", "you")])])
        #expect(ids(log) == [])
    }

    @Test func `a change of owner takes a case away, and gives it back`() {
        var log = log([new("a")], [.of("a", update: [.init("owner_id", "you")])])
        #expect(ids(log) == [])
        log.apply([.of("a", update: [.init("owner_id", "me")])])
        #expect(ids(log) == ["a"])
    }

    @Test func `an extension stays with its host and goes with it`() {
        let host = CaseBlock.Index(name: "host", relationship: "extension", target: "h")
        var log = log([new("h"), new("e", owner: "-", host)])
        #expect(ids(log) == ["e", "h"])
        log.apply([.of("h", close: true)])
        #expect(ids(log) == [])
    }

    @Test func `an update of a dependent case for the user makes it primary`() {
        var log = log(
            [new("p"), new("c", .init(name: "parent", target: "p"))], [.of("p", close: true)])
        log.closedIDs = []
        log.apply([.of("p", update: [.init("owner_id", "me")])])
        #expect(log.primaryIDs == [ExactText("c"), ExactText("p")])
    }

    @Test func `starts from a restore`() throws {
        var set = CaseSet()
        try set.apply(new("p", owner: "you"), from: .restore)
        try set.apply(new("c", .init(name: "parent", target: "p")), from: .restore)
        var log = SyncLog(set, ownerIDs: Self.me)
        #expect(log.stateHash == set.stateHash)
        #expect(log.dependentIDs == [ExactText("p")])
        log.apply([.of("c", indices: [.init(name: "parent", target: "")])])
        #expect(ids(log) == ["c", "p"])
        log.apply([.of("p", close: true)])
        #expect(ids(log) == ["c"])
    }

    @Test func `long chains take no stack`() throws {
        var log = SyncLog(ownerIDs: Self.me)
        log.apply(
            (0..<20_000).map { place in
                let parent = CaseBlock.Index(name: "parent", target: "\(place + 1)")
                return place < 19_999
                    ? new("\(place)", owner: place == 0 ? "me" : "you", parent)
                    : new("\(place)", owner: "you")
            })
        log.apply([.of("0", close: true)])
        #expect(log.caseIDs.count < 20_000)
    }

    /// Without extensions and changes of owner, the practical rule of the reference: both sides agree.
    @Test func `server and device agree on 2000 histories of closes among own cases`() throws {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            let count = Int.random(in: 1...10, using: &random)
            var set = CaseSet()
            var log = SyncLog(ownerIDs: Self.me)
            for place in 0..<count {
                var indices: [CaseBlock.Index] = []
                if place > 0, Bool.random(using: &random) {
                    indices = [
                        .init(
                            name: "parent", target: "é\(Int.random(in: 0..<place, using: &random))")
                    ]
                }
                let block = CaseBlock.of(
                    "é\(place)", create: .init(caseType: "t", caseName: "n", ownerID: "me"),
                    indices: indices)
                try set.apply(block, from: .submission)
                log.apply([block])
            }
            for id in set.cases.keys.map(\.string).sorted().shuffled(using: &random).prefix(4)
            where set[id] != nil {
                let block = CaseBlock.of(id, close: true)
                try set.apply(block, from: .submission)
                log.apply([block])
                try set.purge(owners: Self.me)
                #expect(log.stateHash == set.stateHash, "seed \(seed)")
                #expect(Set(set.cases.keys) == log.caseIDs, "seed \(seed)")
            }
        }
    }
}
