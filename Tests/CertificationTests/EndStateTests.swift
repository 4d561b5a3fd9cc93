import Notation
import SyncServers
import Testing

@testable import Certification

/// The end of a scenario compared with what is there.
struct EndStateTests {
    private static let mine = #"{"content":"one and two","n":1}"#
    private static let scenario = Scenario(
        "test", "Test", asks: "", seed: [.set(key: "old", data: #"{"content":"old"}"#)],
        script: [
            .waitSynced, .set(key: "mine", data: #"{"content":"one","n":1}"#), .waitSynced,
            .set(key: "mine", data: mine), .waitSynced,
            .set(key: "gone", data: #"{"content":"x"}"#), .delete(key: "gone"),
        ], situations: [])

    private static func object(_ key: String, _ versions: String...) -> HeldObject {
        HeldObject(
            key: key, isRemoved: false,
            versions: versions.map { (try? JSONValue(parsing: $0)) ?? .null })
    }

    private static func differences(
        _ objects: [HeldObject], view: EndState.View? = nil, isRefused: Bool = false
    ) -> [String] {
        EndState(objects: objects, view: view).differences(
            from: ExpectedEnd(scenario), isRefused: isRefused)
    }

    private static let old = object("old", #"{"content":"old"}"#)
    private static let good = object("mine", #"{"content":"one","n":1}"#, mine)

    @Test func `the end that the script asks for differs in nothing`() {
        #expect(Self.differences([Self.old, Self.good]) == [])
        let removed = HeldObject(key: "gone", isRemoved: true, versions: [])
        #expect(Self.differences([Self.old, Self.good, removed]) == [])
    }

    @Test func `a point has what was done before it`() {
        func differences(_ objects: [HeldObject], steps: Int) -> [String] {
            let point = ComparisonPoint("then", when: .lines("command:c", "a change"), steps: steps)
            return EndState(objects: objects).differences(
                from: ExpectedEnd(Self.scenario, at: point), isRefused: false)
        }
        let first = Self.object("mine", #"{"content":"one","n":1}"#)
        #expect(differences([Self.old], steps: 1) == [])
        #expect(differences([Self.old, first], steps: 3) == [])
        #expect(
            differences([Self.old], steps: 3)
                == [#"mine is not on the server: expected {"content":"one","n":1}"#])
        #expect(
            differences([Self.old, Self.good], steps: 3)
                == [#"mine differs on the server: content: "one{+ and two+}""#])
    }

    @Test func `what is missing, doubled or too much is reported`() {
        let doubled = Self.object("mine", #"{"content":"one and two and two","n":1,"tags":[]}"#)
        let reported = Self.differences([doubled, Self.object("ghost", "{}")])
        #expect(
            reported == [
                #"old is not on the server: expected {"content":"old"}"#,
                #"mine differs on the server: content: "one and two{+ and two+}", {+tags: []+}"#,
                "ghost was made, which no step asks for: {}",
            ])
    }

    @Test func `what comes back after its removal is reported`() {
        let reported = Self.differences([
            Self.old, Self.good, Self.object("gone", #"{"content":"x"}"#),
        ])
        #expect(
            reported == [#"gone is again on the server, and was to be removed: {"content":"x"}"#])
    }

    @Test(arguments: [false, true])
    func `what was there meanwhile counts, unless a change was refused`(isRefused: Bool) {
        let odd = Self.object("mine", #"{"content":"one and two two","n":1}"#, Self.mine)
        let reported = Self.differences([Self.old, odd], isRefused: isRefused)
        #expect(reported.isEmpty == isRefused)
    }

    @Test func `a second client has to see what the server has`() throws {
        let mine = try JSONValue(parsing: Self.mine)
        let old = try JSONValue(parsing: #"{"content":"older"}"#)
        let reported = Self.differences(
            [Self.old, Self.good], view: EndState.View(objects: ["old": old, "mine": mine]))
        #expect(
            reported == [
                #"a second client sees another old than the server has: content: "old{+er+}""#
            ])
        let blind = Self.differences([Self.old, Self.good], view: EndState.View())
        #expect(blind.count == 2 && blind[0].hasPrefix("a second client does not see old"))
    }

    @Test func `forms are stored once, and cases are as the forms make them`() {
        let scenario = Scenario(
            "test", "Test", asks: "",
            script: [
                .submit(form: "register.xml", attachments: []),
                .submit(form: "visit-1.xml", attachments: []),
                .submit(form: "visit-2.xml", attachments: []),
            ], unstored: ["visit-2.xml"], situations: [])
        let state = EndState(
            forms: [
                HeldForm(instanceID: "certify-form-register", count: 2),
                HeldForm(instanceID: "another", count: 1),
            ],
            cases: [HeldCase(id: "certify-case-1", isClosed: true)], view: EndState.View())
        #expect(
            state.differences(from: ExpectedEnd(scenario), isRefused: false) == [
                "register.xml is 2 times on the server, each time with other bytes",
                "visit-1.xml is not on the server",
                "a form is on the server, which no step submits: its instanceID is another",
                "the case certify-case-1 is closed on the server, and was to be open",
                "the case certify-visit-1 is not on the server",
            ])
    }

    @Test func `two clients that wait for each other lead to one end`() {
        let scenario = Scenario(
            "test", "Test", asks: "",
            script: [
                .waitFor(key: "a", data: #"{"n":1}"#), .set(key: "a", data: #"{"n":2}"#),
            ],
            deeds: [
                Scenario.Deed(
                    when: .lines("*", ""),
                    [
                        .set(key: "a", data: #"{"n":1}"#), .waitFor(key: "a", data: #"{"n":2}"#),
                        .set(key: "a", data: #"{"n":3}"#),
                    ])
            ], situations: [])
        let end = ExpectedEnd(scenario)
        #expect(end.objects["a"]?.text() == #"{"n":3}"# && end.stuck.isEmpty)
        #expect(end.shared == ["a"])
    }

    @Test func `steps after the pause of a client that was ended do not count`() {
        let scenario = Scenario(
            "test", "Test", asks: "",
            script: [
                .pause(2), .set(key: "a", data: "{}"), .pause(60), .set(key: "b", data: "{}"),
                .submit(form: "visit-1.xml", attachments: []),
            ], situations: [])
        #expect(ExpectedEnd(scenario).objects.count == 2)
        let short = ExpectedEnd(scenario, isCutShort: true)
        #expect(short.objects.keys.sorted() == ["a"])
        #expect(short.forms.map(\.isOptional) == [true])
        #expect(StepDemand.all(of: scenario, isCutShort: true).map(\.deed) == ["change a"])
        #expect(StepDemand.all(of: scenario, isCutShort: false).count == 3)
    }

    @Test func `edits with a wait between are changes of their own`() {
        let demands = StepDemand.all(of: Self.scenario, isCutShort: false)
        #expect(
            demands.map(\.deed) == ["read the whole index", "change mine 2 times", "change gone"])
    }
}
