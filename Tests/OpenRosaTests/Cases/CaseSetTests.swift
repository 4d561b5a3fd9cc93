import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct CaseSetTests {
    private static let create = CaseBlock.Create(caseType: "patient", caseName: "Zoë", ownerID: "g")

    private func set(_ ids: String...) throws -> CaseSet {
        var set = CaseSet()
        for id in ids { try set.apply(.of(id, create: Self.create), from: .restore) }
        return set
    }

    @Test func `follows a case from create to close`() throws {
        var set = try set("a", "p")
        try set.apply(
            .of(
                "a",
                update: [
                    .init("age", "7"), .init("case_name", "Zoé"), .init("owner_id", "h"),
                    .init("external_id", "x-1"), .init("date_opened", "2025-01-01"),
                    .init("age", "8"), .init("empty", ""),
                ],
                indices: [.init(name: "parent", caseType: "household", target: "p")],
                attachments: [.init(name: "photo", src: "1.jpg", from: "local")]),
            from: .submission)
        let open = try #require(set["a"])
        #expect(open.name == "Zoé")
        #expect(open.ownerID == "h")
        #expect(open.externalID == "x-1")
        #expect(open.dateOpened == "2025-01-01")
        #expect(open[property: "age"] == "8")
        #expect(open[property: "empty"] == "")
        #expect(open[index: "parent"] == .init(target: "p", caseType: "household"))
        #expect(open.attachments == [ExactText("photo"): .init(source: "1.jpg", from: "local")])
        #expect(!open.isClosed)

        try set.apply(
            .of(
                "a", close: true, indices: [.init(name: "parent", target: "")],
                attachments: [.init(name: "photo")]),
            from: .submission)
        let closed = try #require(set["a"])
        #expect(closed.isClosed)
        #expect(closed.indices.isEmpty)
        #expect(closed.attachments.isEmpty)
        #expect(set.stateHash == CaseStateHash(caseIDs: ["p", "a"]), "closed cases count")
    }

    @Test func `a create of a known case changes it and opens nothing`() throws {
        var set = try set("a")
        try set.apply(.of("a", update: [.init("age", "7")], close: true), from: .submission)
        let again = CaseBlock.of("a", create: .init(caseType: "t", caseName: "n", ownerID: "o"))
        #expect(try set.apply(again, from: .restore).isEmpty)
        #expect(set["a"]?.isClosed == true)
        #expect(set["a"]?.caseType == "t")
        #expect(set["a"]?[property: "age"] == "7")
        #expect(try set.apply(again, from: .submission).map(\.reason) == [.alreadyExists])
    }

    @Test func `the user owns a case without owner`() throws {
        var set = CaseSet()
        try set.apply(.of("a", create: .init(caseType: "t", caseName: "n")), from: .submission)
        #expect(set["a"]?.ownerID == "u")
    }

    @Test func `version 1 may name the external identifier`() throws {
        var set = CaseSet()
        let create = CaseBlock.Create(
            caseType: "t", caseName: "n", externalID: "x", others: [.init("date_opened_by", "y")])
        let problems = try set.apply(.of("a", create: create, version: .one), from: .restore)
        #expect(problems.isEmpty)
        #expect(set["a"]?.externalID == "x")
        let index = CaseBlock.of("a", indices: [.init(name: "i", target: "b")], version: .one)
        #expect(try set.apply(index, from: .restore).map(\.reason) == [.notInVersion1(.index)])
    }

    static let long = String(repeating: "😀", count: 128)
    static let refused: [(CaseBlock, CaseProblem.Reason)] = [
        (CaseBlock(caseID: nil, dateModified: "2026-01-01"), .missingCaseID),
        (CaseBlock(caseID: "", dateModified: "2026-01-01"), .missingCaseID),
        (CaseBlock(caseID: "a", update: []), .missingDateModified),
        (
            CaseBlock(caseID: "a", dateModified: "yesterday"),
            .invalidDate(property: "date_modified", value: "yesterday")
        ),
        (.of("n", create: .init(caseName: "n", ownerID: "o")), .missingCaseType),
        (.of("n", create: .init(caseType: "t", ownerID: "o")), .missingCaseName),
        (
            CaseBlock(
                caseID: "n", dateModified: "2026-01-01",
                create: .init(caseType: "t", caseName: "n")), .missingOwner
        ),
        (.of("n", create: .init(caseType: "t", caseName: "n", ownerID: "")), .missingOwner),
        (
            .of("n", create: .init(caseType: "t", caseName: "n", externalID: "x")),
            .unexpectedInCreate("external_id")
        ),
        (
            .of("n", create: .init(caseType: "t", caseName: "n", others: [.init("age", "1")])),
            .unexpectedInCreate("age")
        ),
        (
            .of("n", create: .init(caseType: long, caseName: "n")),
            .tooLong(property: "case_type", units: 256)
        ),
        (.of("a", update: [.init("case_name", long)]), .tooLong(property: "case_name", units: 256)),
        (
            .of("a", update: [.init("date_opened", "")]),
            .invalidDate(property: "date_opened", value: "")
        ),
        (.of("n", update: [.init("age", "1")]), .unknownCase(.update)),
        (.of("n", update: []), .unknownCase(.update)),
        (.of("n", close: true), .unknownCase(.close)),
        (.of("n", indices: [.init(name: "i", target: "a")]), .unknownCase(.index)),
        (.of("n", attachments: [.init(name: "i")]), .unknownCase(.attachment)),
        (.of("a", indices: [.init(name: "i", target: "a")]), .selfIndex("i")),
        (
            .of("a", indices: [.init(name: "i", relationship: "", target: "b")]),
            .emptyRelationship(index: "i")
        ),
    ]

    @Test(arguments: refused)
    func `refuses where strict, and applies the rest where tolerant`(
        block: CaseBlock, reason: CaseProblem.Reason
    ) throws {
        let before = try set("a", "b")
        var set = before
        let problem = #expect(throws: CaseProblem.self) { try set.apply(block, from: .restore) }
        #expect(problem?.reason == reason)
        #expect(problem?.isFatal == true)
        #expect(problem?.detail.isEmpty == false)
        #expect(set == before)
        let problems = try set.apply(block, from: .restore, .tolerant)
        #expect(problems.map(\.reason).contains(reason))
        #expect(set.stateHash == CaseStateHash(caseIDs: set.cases.keys.map(\.string)))
    }

    @Test func `lets through what CommCare lets through`() throws {
        var set = try set("a", "b")
        let odd = CaseBlock.of(
            "a", indices: [.init(name: "i", relationship: "cousin", target: "b")])
        #expect(
            try set.apply(odd, from: .restore).map(\.reason)
                == [.unknownRelationship(index: "i", "cousin")])
        var cut = CaseBlock.of("a", update: [.init("x", "y")])
        cut.isCut = true
        #expect(try set.apply(cut, from: .restore).map(\.reason) == [.cut])
        #expect(try set.apply(.of("n"), from: .restore).isEmpty)
        #expect(set["n"] == nil, "a block that says nothing makes no case")
    }

    @Test func `tells apart identifiers that only look alike`() throws {
        let set = try set("caf\u{E9}", "cafe\u{301}")
        #expect(set.cases.count == 2)
        #expect(set["cafe\u{301}"]?.id.unicodeScalars.count == 5)
    }

    @Test func `a full restore replaces cases and ledgers, and nothing else`() throws {
        var set = try set("old")
        var first = RestoreInProgress(.incremental, of: set)
        try first.receive(
            .registration(
                Registration(username: "z", userData: [.init("k", "1"), .init("k", "2")])))
        try first.receive(.fixture(Fixture(id: "item-list:x", userID: "u", elements: 3)))
        try first.receive(.fixture(Fixture(id: "gone", elements: 1)))
        try first.receive(.restoreID(RestoreID("token-1")))
        try first.receive(
            .ledger(
                LedgerBlock(
                    .balance, entityID: "old", sectionID: "stock", date: "2026-01-01",
                    entries: [.init(id: "p", quantity: "5")])))
        set = first.finish()
        #expect(set.restoreID == "token-1")
        #expect(set.ledgers["old", "stock", "p"] == 5)
        #expect(set.user?.data == [ExactText("k"): "2"])

        var second = RestoreInProgress(.full, of: set)
        try second.receive(.caseBlock(.of("new", create: Self.create)))
        try second.receive(.fixture(Fixture(id: "gone", elements: 0)))
        try second.receive(.restoreID(RestoreID("token-2")))
        #expect(set.restoreID == "token-1" && set["old"] != nil, "not before its end")
        set = second.finish()
        #expect(set.cases.keys.map(\.string) == ["new"])
        #expect(set.stateHash == CaseStateHash(caseIDs: ["new"]))
        #expect(set.ledgers.balances.isEmpty)
        #expect(set.user?.username == "z")
        #expect(set.fixtures == [.init(id: "item-list:x", userID: "u")])
        #expect(set.restoreID == "token-2")
    }

    @Test func `a failed restore leaves everything as it was`() throws {
        let set = try set("a")
        var restore = RestoreInProgress(.full, of: set)
        try restore.receive(.restoreID(RestoreID("token")))
        try restore.apply(.of("b", create: Self.create))
        #expect(throws: CaseProblem.self) { try restore.apply(.of("c", close: true)) }
        #expect(set["a"] != nil && set["b"] == nil && set.restoreID == nil)

        var tolerant = RestoreInProgress(.full, of: set, .tolerant)
        for place in 0..<1500 { try tolerant.apply(.of("\(place)", close: true)) }
        #expect(tolerant.problems.count == RestoreInProgress.maxProblems)
        #expect(tolerant.problemCount == 1500)
    }

    @Test func `a form is applied whole or not at all`() throws {
        var set = try set("a")
        let before = set
        let form: [CommCareEvent] = [
            .caseBlock(.of("b", create: Self.create)), .caseBlock(.of("x", close: true)),
        ]
        #expect(throws: CaseProblem.self) { try set.submit(form) }
        #expect(set == before)
        #expect(try set.submit(form, .tolerant).map(\.reason) == [.unknownCase(.close)])
        #expect(set["b"] != nil)
    }
}
