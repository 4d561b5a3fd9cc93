import Faults
import Filters
import Testing

struct RuleParsingTests {
    @Test func `reads a rule of one line`() throws {
        let rule = try FaultRule.parse(
            "api:commcare.restore => status 503 retry-after=30 first=3 name=busy")
        #expect(rule.name == "busy")
        #expect(rule.condition.text == "api:commcare.restore")
        #expect(rule.phase == .requestHead)
        #expect(
            rule.action
                == FaultAction(.status, ["code": .integer(503), "retry-after": .integer(30)]))
        #expect(rule.schedule.first == 3)
        #expect(rule.extent == .overall)
    }

    @Test func `takes a number alone for a status`() throws {
        let rule = try FaultRule.parse("api:commcare.restore => 503 retry-after=soon")
        #expect(rule.action.kind == .status)
        #expect(rule.action.integer("code") == 503)
        #expect(rule.action.text("retry-after") == "soon")
        #expect(rule.name == "rule-1")
    }

    @Test(
        arguments: [
            ("command:c sender:client => error 440 nth=2", FilterPhase.command),
            ("command:cv sender:client => cv-unknown first=1", .command),
            ("api:commcare.restore => 429 probability=0.5", .requestHead),
            ("api:commcare.restore request.body~x => 429", .requestBody),
            ("api:commcare.restore => 429 forwarded=true", .responseHead),
            ("status:200 => 429 forwarded", .responseHead),
            ("host:*.example => latency 300ms jitter=50ms", .requestHead),
            ("host:*.example => latency 300ms sender=server", .responseHead),
            ("=> latency 300ms", .connection),
            ("kind:message => latency 300ms", .message),
            ("kind:command => latency 300ms", .command),
            ("not kind:exchange => drop", .command),
            ("kind:{message,command} => drop", .command),
            ("sender:client => drop", .command),
            ("opcode:text => drop", .message),
            ("path:/a => set-header A b", .responseHead),
            ("path:/a => set-header A b sender=client", .requestHead),
            ("nature:ota_restore_pending => set-header A b", .responseBody),
            ("host:a => tls-failure", .handshake),
            ("=> refuse", .connection),
            ("host:a => refuse", .handshake),
            ("path:/a => cut-xml", .responseBody),
            ("api:commcare.submit => lose-answer", .responseHead),
            ("api:commcare.submit => repeat", .requestBody),
        ] as [(String, FilterPhase)])
    func `asks in the earliest phase that will do`(line: String, phase: FilterPhase) throws {
        #expect(try FaultRule.parse(line).phase == phase)
    }

    @Test(arguments: [
        "body~\"a => b\" => drop", "body~/a => b/ => drop", "\"a => b\" => drop",
    ])
    func `finds the arrow that is none of the filter's`(line: String) throws {
        let rule = try FaultRule.parse("kind:message \(line)")
        #expect(rule.action == FaultAction(.drop))
        #expect(rule.condition.text == "kind:message " + line.dropLast(8))
    }

    @Test(arguments: ["every=3 first=3", "nth=3 first=3", "from=1s to=2s", "nth=6 every=3"])
    func `takes a schedule that hits once`(schedule: String) throws {
        #expect(try FaultRule.parse("path:/a => 503 \(schedule)").schedule != FaultSchedule())
    }

    @Test func `reads quotations`() throws {
        let rule = try FaultRule.parse(
            #"path:/a => 200 body='{"a": 1}' message="a \"b\"\n" header="A: b c" header=D:e"#)
        #expect(rule.action.text("body") == #"{"a": 1}"#)
        #expect(rule.action.text("message") == "a \"b\"\n")
        #expect(rule.action.texts("header") == ["A: b c", "D:e"])
    }

    @Test func `leaves quotation marks within a word alone`() throws {
        let action = try FaultAction.parse(#"send 0:c:{"id":"a=b"}"#)
        #expect(action.text("text") == #"0:c:{"id":"a=b"}"#)
    }

    @Test func `reads every condition of a schedule`() throws {
        let rule = try FaultRule.parse(
            "path:/a => 503 first=10 every=2 nth=2,4 probability=50% from=1s to=1m30s "
                + "after-mark=a before-mark=\"b c\" until='status:200' until-waited=30s "
                + "per=connection after=250ms")
        var schedule = FaultSchedule()
        schedule.first = 10
        schedule.every = 2
        schedule.nth = [2, 4]
        schedule.probability = 0.5
        schedule.from = 1_000_000_000
        schedule.to = 90_000_000_000
        schedule.afterMark = "a"
        schedule.beforeMark = "b c"
        schedule.until = rule.schedule.until
        schedule.untilWaited = 30_000_000_000
        schedule.per = .connection
        schedule.after = 250_000_000
        #expect(rule.schedule == schedule)
        #expect(rule.schedule.until?.text == "status:200")
        #expect(rule.schedule.until?.phase == .responseHead)
        #expect(rule.schedule.window == 1_000_000_000..<90_000_000_000)
    }

    @Test func `gives an action its own argument before the schedule`() throws {
        let rule = try FaultRule.parse(
            "command:init => send log:1 to=server from=1s schedule-to=2s")
        #expect(rule.action.text("to") == "server")
        #expect(rule.schedule.window == 1_000_000_000..<2_000_000_000)
        #expect(try FaultRule.parse("\(rule)") == rule)
        let header = try FaultRule.parse("path:/a => remove-header name=Date name=x")
        #expect(header.name == "x")
        #expect(header.action.text("name") == "Date")
    }

    @Test func `counts by client where chance decides`() throws {
        #expect(try FaultRule.parse("=> 503 probability=0.5").extent == .client)
        #expect(try FaultRule.parse("=> 503 probability=0.5 per=overall").extent == .overall)
        #expect(try FaultRule.parse("=> latency 5ms jitter=1ms").extent == .client)
        #expect(try FaultRule.parse("=> latency 5ms").extent == .overall)
    }

    @Test func `reads all forms of YAML alike`() throws {
        let texts = [
            """
            seed: 42
            rules:
              - name: a
                filter: command:c sender:client
                action: error 440 as=string
                schedule: nth=1,4 per=client
            """,
            """
            seed: "42"
            rules:
              - name: a
                filter: "command:c sender:client"
                action: {kind: error, code: 440, as: string}
                schedule: {nth: [1, 4], per: client}
            """,
            """
            {"seed": 42, "rules": [{"name": "a", "filter": "command:c sender:client",
            "action": {"kind": "error", "code": 440, "as": "string"},
            "schedule": {"nth": "4,1", "per": "client"}}]}
            """,
            """
            seed: 42
            rules:
              - command:c sender:client => error 440 as=string nth=1,4 per=client name=a
            """,
            """
            seed: 42
            rules:
              - >-
                command:c sender:client
                => error 440 as=string
                nth=1,4 per=client name=a
            """,
        ]
        let plans = try texts.map { try FaultPlan.parse(yaml: $0) }
        #expect(plans[0].seed == 42)
        #expect(plans[0].rules.count == 1)
        for plan in plans { #expect(plan == plans[0]) }
    }

    @Test func `reads a list of headers and a flag`() throws {
        let rule = try FaultRule.parse(
            yaml: """
                filter: ""
                action: {kind: status, code: 200, forwarded: true, header: ["A: b", "C: d"]}
                """, named: "x")
        #expect(rule.name == "x")
        #expect(rule.action.flag("forwarded"))
        #expect(rule.action.texts("header") == ["A: b", "C: d"])
    }

    @Test(arguments: ["", "# nothing\n", "rules:\n", "rules: []", "~", "seed: 1\n"])
    func `takes nothing for a plan without rules`(text: String) throws {
        #expect(try FaultPlan.parse(yaml: text).rules.isEmpty)
    }

    @Test func `names rules by their places`() throws {
        let plan = try FaultPlan.parse(
            yaml: """
                rules:
                  - => drop
                  - => drop name=rule-3
                  - => drop
                """)
        #expect(plan.rules.map(\.name) == ["rule-1", "rule-3", "rule-4"])
        let more = try plan.adding(line: "=> drop").adding(plan)
        #expect(
            more.rules.map(\.name)
                == [
                    "rule-1", "rule-3", "rule-4", "rule-5", "rule-1-2", "rule-3-2", "rule-4-2",
                ])
    }
}

struct PlanBodyTests {
    @Test func `takes bodies from files without writing them out`() throws {
        let line = "path:/a => status 200 body-file=a.xml name=a"
        let plan = try FaultPlan().adding(line: line).adding(line: "path:/b => drop")
        #expect(plan.bodyFiles == ["a.xml"])
        let read = plan.withBodies(["a.xml": "<a/>", "b": "x"])
        #expect(read.rules[0].action.text("body") == "<a/>")
        #expect("\(read.rules[0])" == line)
        #expect(read.rules[1] == plan.rules[1])
        #expect(read != plan)
    }
}
