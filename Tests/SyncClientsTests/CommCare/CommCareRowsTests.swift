import Notation
import OpenRosa
import Testing
import Wire

@testable import SyncClients

/// What becomes of cases that are rows.
@Suite struct CommCareRowsTests {
    typealias States = CommCareStateTests

    /// A registration, groups where they are given, and cases.
    static func restore(_ token: String, groups: [String]?, _ cases: [String]) -> String {
        let list = groups.map { groups in
            "<fixture id=\"user-groups\" user_id=\"u\"><groups>"
                + groups.map { "<group id=\"\($0)\"><name>n</name></group>" }.joined()
                + "</groups></fixture>"
        }
        return States.envelope(
            token,
            "<Registration xmlns=\"http://openrosa.org/user/registration\"><username>u</username>"
                + "<password>p</password><uuid>u</uuid><date>2026-01-01</date></Registration>"
                + (list ?? "") + cases.joined())
    }

    static func block(_ id: String, owner: String, _ more: String = "") -> String {
        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\(id)\" "
            + "date_modified=\"2026-01-01T00:00:00Z\" user_id=\"u\"><create><case_type>t</case_type>"
            + "<case_name>n</case_name><owner_id>\(owner)</owner_id></create>\(more)</case>"
    }

    static func state(_ restore: String) throws -> CommCareState {
        let state = try States.open(States.folder())
        try States.write(restore, to: state.download)
        let problem = try state.swapIn(isFull: true)
        #expect(problem == nil)
        return state
    }

    @Test func `keeps all that a case has, and changes what a restore names`() throws {
        let state = try Self.state(
            Self.restore(
                "t1", groups: nil,
                [
                    Self.block("p", owner: "u"),
                    Self.block(
                        "c", owner: "u",
                        "<update><a>1</a><b>2</b></update><index><parent case_type=\"t\" "
                            + "relationship=\"extension\">p</parent></index>"
                            + "<attachment><x src=\"x.jpg\" from=\"remote\"/></attachment>"),
                ]))
        let before = try #require(try state.caseState("c"))
        #expect(before[property: "a"] == "1")
        #expect(before[index: "parent"]?.isExtension == true)
        #expect(before.attachments[ExactText("x")]?.source == "x.jpg")
        try States.write(
            States.envelope(
                "t2",
                "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"c\" "
                    + "date_modified=\"2026-01-02T00:00:00Z\"><update><a>3</a></update></case>"),
            to: state.download)
        #expect(try state.swapIn(isFull: false) == nil)
        var after = before
        after.properties[ExactText("a")] = "3"
        after.dateModified = "2026-01-02T00:00:00Z"
        #expect(try state.caseState("c") == after)
        #expect(try state.caseState("p") != nil)
    }

    struct Purge: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var groups: [String]?
        var cases: [String]
        var left: [String]
    }

    static let purges = [
        Purge(
            testDescription: "groups are given", groups: ["g", "h&amp;i"],
            cases: [
                block("mine", owner: "u"), block("ours", owner: "g"),
                block("too", owner: "h&amp;i"),
                block("theirs", owner: "x"),
            ], left: ["mine", "ours", "too"]),
        Purge(
            testDescription: "no groups are given", groups: nil,
            cases: [block("mine", owner: "u"), block("theirs", owner: "x")],
            left: ["mine", "theirs"]),
        Purge(
            testDescription: "no group is given", groups: [],
            cases: [block("mine", owner: "u"), block("theirs", owner: "x")], left: ["mine"]),
        Purge(
            testDescription: "closed cases go", groups: nil,
            cases: [block("a", owner: "u"), block("b", owner: "u", "<close/>")], left: ["a"]),
        Purge(
            testDescription: "what a case refers to stays", groups: ["g"],
            cases: [
                block("parent", owner: "x"),
                block(
                    "child", owner: "u",
                    "<index><parent case_type=\"t\">parent</parent></index>"),
            ], left: ["child", "parent"]),
    ]

    @Test(arguments: purges) func `purges as a device does`(row: Purge) throws {
        let state = try Self.state(Self.restore("t1", groups: row.groups, row.cases))
        #expect(try state.stateToSend() == CaseStateHash(caseIDs: row.left))
        #expect(try state.caseIDs() == row.left)
        // Once more, from what is stored.
        #expect(try state.stateToSend() == CaseStateHash(caseIDs: row.left))
    }

    @Test func `purges nothing where nobody said who the user is`() throws {
        let state = try Self.state(States.restore("t1", cases: ["a", "b"]))
        #expect(try state.stateToSend() == CaseStateHash(caseIDs: ["a", "b"]))
    }

    @Test func `lets go of a case that a form of ours gives away`() throws {
        let state = try Self.state(Self.restore("t1", groups: nil, [Self.block("a", owner: "u")]))
        let xml = """
            <data xmlns="http://example.org/f"><case xmlns="http://commcarehq.org/case/transaction/v2" \
            case_id="a" date_modified="2026-01-02T00:00:00Z" user_id="u"><update><owner_id>x\
            </owner_id></update></case><meta><instanceID>i</instanceID></meta></data>
            """
        _ = try state.add(try CommCareForm(xml: Array(xml.utf8), filename: "f.xml"))
        #expect(try state.caseIDs().isEmpty)
        #expect(try state.stateToSend() == CaseStateHash(caseIDs: ["a"]))
        try state.store(1, .sent, attempts: 0, message: "")
        #expect(try state.stateToSend()?.description == "ccsh:")
    }

    @Test func `gives no hash for cases in a circle`() throws {
        func block(_ id: String, _ target: String) -> String {
            Self.block(
                id, owner: "u", "<index><p case_type=\"t\">\(target)</p></index>")
        }
        let state = try Self.state(
            Self.restore("t1", groups: nil, [block("a", "b"), block("b", "a")]))
        #expect(try state.stateToSend() == nil)
        #expect(try state.caseIDs() == ["a", "b"])
    }

    @Test func `rows are purged as the case set is, over 80 restores`() throws {
        var removed = 0
        for seed in 0..<80 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var set = CaseSet()
            var blocks: [String] = []
            for place in 0..<Int.random(in: 1...20, using: &random) {
                var state = CaseState(id: "c\(place)")
                state.ownerID = ["u", "g", "x"].randomElement(using: &random)
                state.isClosed = Int.random(in: 0..<4, using: &random) == 0
                var indices = ""
                // To an earlier case, so that there are no circles; now and then to none.
                for name in ["i", "j"] where place > 0 && Bool.random(using: &random) {
                    let isMissing = Int.random(in: 0..<20, using: &random) == 0
                    let target =
                        isMissing ? "none" : "c\(Int.random(in: 0..<place, using: &random))"
                    let kind = Bool.random(using: &random) ? "child" : "extension"
                    state.indices[ExactText(name)] = .init(target: target, relationship: kind)
                    indices +=
                        "<\(name) case_type=\"t\" relationship=\"\(kind)\">\(target)</\(name)>"
                }
                set.put(state)
                blocks.append(
                    Self.block(
                        state.id, owner: state.ownerID ?? "",
                        (state.isClosed ? "<close/>" : "") + "<index>\(indices)</index>"))
            }
            let state = try Self.state(
                Self.restore("t1", groups: ["g"], blocks.shuffled(using: &random)))
            removed += try set.purge(owners: [ExactText("u"), ExactText("g")]).removed.count
            #expect(try state.stateToSend() == set.stateHash, "seed \(seed)")
            #expect(try Set(state.caseIDs()) == Set(set.cases.keys.map(\.string)), "seed \(seed)")
        }
        #expect(removed > 100)
    }
}
