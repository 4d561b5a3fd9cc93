import Faults

/// Rules that worlds put up, take away and change.
enum WorldRules {
    /// What is done to what: every action there is, most of them in several ways.
    static let lines = [
        "method:GET => 503 retry-after=5", "method:POST => status 202 forwarded", "=> 429",
        "method:PUT => lose-answer how=close", "method:GET => lose-answer how=stall",
        "method:POST => lose-answer how=reset", "method:GET => answer-twice",
        "method:GET => truncate 5", "=> truncate 50%", "=> corrupt at=3 count=2",
        "method:POST => corrupt sender=client", "=> length -3", "=> length 7",
        "=> content-type text/html", "=> cut-xml", "=> set-header X-A b",
        "=> set-header X-A b sender=client", "=> remove-header X-Answer",
        "=> add-header X-A b", "=> edit replace '[a-e]' _", "=> edit replace o 00 sender=client",
        "=> edit query added 1", "=> edit status 203", "path:/a* => redirect /elsewhere",
        "=> block 404", "path:/b* => serve nowhere", "path:/a* => recorded nothing",
        "=> edit xml //b x", "kind:message => edit replace '[a-e]' _",
        "path:/a* => map http://c.example",
        "=> map http://a.example",
        "=> remove-header X-Number sender=client", "command:c sender:client => error 440",
        "command:c sender:client => error 503 forwarded", "command:cv => cv-unknown",
        "command:{c,cv} sender:client => change-unknown", "command:e => entity-unknown",
        "command:init => auth-failure 400", "command:init => auth-expired",
        "command:i => move-current", "command:c sender:server => foreign-ccids",
        "command:c sender:server => version-gap", "command:c sender:server => compact count=3",
        "command:c sender:server => malformed-delta", "command:h => wrong-heartbeat by=5",
        "sender:server has:channel => unknown-channel", "kind:message => send hello",
        "command:c sender:client => send 0:index after=1s", "method:DELETE => drop",
        "method:DELETE => drop close", "kind:message => drop", "method:GET => repeat",
        "method:POST => repeat count=2", "kind:message => repeat", "kind:message => reorder",
        "kind:message => hold 2s", "method:GET => hold", "=> hold 700ms sender=server",
        "command:* => hold 1s", "method:POST => hold 300ms",
        "=> latency 300ms", "method:GET => latency 20ms jitter=10ms",
        "kind:message => latency 1s", "=> latency 10ms sender=server", "=> bandwidth 20KiB",
        "method:POST => bandwidth 2KiB sender=client", "=> slice 50 pause=5ms",
        "method:GET => slice 100", "method:GET => stall", "kind:message => stall sender=server",
        "=> cut 500 how=reset", "=> cut 3000", "method:PUT => cut 10 sender=client",
        "=> blackout from=1s to=3s", "method:GET => blackout 500ms", "method:OPTIONS => close",
        "method:OPTIONS => reset", "status:404 => close", "kind:message => half-close",
        "method:GET => half-close sender=client", "kind:message => close-code 1012", "=> refuse",
        "host:c.example => refuse", "host:a.example => tls-failure",
        "host:c.example => expired-certificate", "status:5xx => set-header Retry-After 120",
        "body~\"<\" => set-header X-Body yes",
    ]

    private static let schedules = [
        "", " first=1", " nth=2", " every=3", " probability=0.3", " probability=0.3 per=client",
        " first=2 per=connection", " from=500ms", " to=2s",
    ]

    /// An action that somebody asks for by hand.
    static func firing(_ chance: inout Chance) -> Firing? {
        let actions = [
            "close", "reset", "half-close", "half-close sender=client", "latency 200ms",
            "bandwidth 5KiB", "slice 10", "stall", "stall sender=server", "cut 100",
            "blackout 1s", "close-code 1001", "send h:1",
        ]
        return (try? FaultAction.parse(chance.pick(actions))).map {
            Firing(rule: "by hand", action: $0, scope: "", occurrence: 1, draw: 1)
        }
    }

    /// What somebody decides about a held message.
    static func decision(about held: HeldMessage, _ chance: inout Chance) -> HoldDecision {
        switch (chance.below(4), held.content) {
        case (0, _): .drop
        case (1, _): .edit(held.bytes)
        case (2, .request):
            .answer(Array("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno".utf8))
        case (2, .command): .answer(Array("0:c:[]".utf8))
        default: .release
        }
    }

    /// A rule, and nothing where one cannot be written so.
    static func rule(_ number: Int, _ chance: inout Chance) -> FaultRule? {
        let line = chance.pick(lines) + chance.pick(schedules) + " name=r\(number)"
        return try? FaultPlan().adding(line: line).rules.first
    }
}
