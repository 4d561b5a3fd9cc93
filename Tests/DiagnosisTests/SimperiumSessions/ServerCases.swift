import Wire

@testable import Diagnosis

/// Cases of rules about servers that follow what was asked.
enum ServerCases {
    typealias R = SimperiumServerRules

    static let all: [RuleCase] =
        answers + heartbeats + changes + pages + objects + excused + losses

    /// A request that stays without answer, though the server is alive.
    static func owed(
        _ rule: Rule, _ title: String, _ request: String, answer: String, answerTitle: String
    ) -> [RuleCase] {
        [
            RuleCase(rule, .breaks, title) {
                let socket = $0.synced()
                $0.client(socket, request, at: 1)
                $0.beats(socket, from: 15, to: 120)
            },
            RuleCase(rule, .behaves, answerTitle) {
                let socket = $0.synced()
                $0.client(socket, request, at: 1)
                $0.beats(socket, from: 15, to: 120)
                $0.server(socket, answer, at: 40)
            },
            RuleCase(rule, .silent, "a fault took the request: \(title)") {
                let socket = $0.synced()
                $0.lose(socket, .client, request, at: 1)
                $0.beats(socket, from: 15, to: 120)
            },
            RuleCase(rule, .silent, "a fault touched the connection: \(title)") {
                let socket = $0.synced()
                $0.client(socket, request, at: 1)
                $0.act(socket, "latency 1ms", at: 2)
                $0.beats(socket, from: 15, to: 120)
            },
            RuleCase(rule, .silent, "the server is not there any more: \(title)") {
                let socket = $0.synced()
                $0.client(socket, request, at: 1)
            } unlike: {
                let socket = $0.synced()
                $0.client(socket, request, at: 1)
                $0.beats(socket, from: 15, to: 120)
            },
        ]
    }

    static let answers: [RuleCase] =
        owed(
            R.changeUnanswered, "a change", SessionScript.sent(), answer: SessionScript.reported(),
            answerTitle: "late, and acknowledged")
        + owed(
            R.changeUnanswered, "a change that is refused", SessionScript.sent(),
            answer: #"0:c:[{"clientid":"c-1","id":"a","error":503,"ccids":["aa01"]}]"#,
            answerTitle: "late, and refused")
        + owed(
            R.noAnswer, "cv", "0:cv:cv0", answer: "0:c:[]", answerTitle: "late, and nothing new")
        + owed(
            R.noAnswer, "i", "0:i:1:::100", answer: SessionScript.page, answerTitle: "a late page")
        + owed(
            R.noAnswer, "e", "0:e:a.1", answer: "0:e:a.1\n?", answerTitle: "late, and missing")
        + owed(
            R.noAuth, "init", SessionScript.initiation(),
            answer: #"1:auth:{"msg":"no","code":500}"#, answerTitle: "a late refusal")
        + [
            RuleCase(R.heartbeatNumber, .breaks, "h:5 for h:0") {
                let socket = $0.synced()
                $0.client(socket, "h:0", at: 20)
                $0.server(socket, "h:5", at: 20.1)
            },
            RuleCase(R.heartbeatNumber, .behaves, "two answers to two heartbeats") {
                let socket = $0.synced()
                $0.client(socket, "h:0", at: 20)
                $0.client(socket, "h:1", at: 20.1)
                $0.server(socket, "h:1", at: 20.2)
                $0.server(socket, "h:2", at: 20.3)
            },
            RuleCase(R.heartbeatNumber, .silent, "Tapedeck made the number wrong") {
                let socket = $0.synced()
                $0.client(socket, "h:0", at: 20)
                $0.rule("command:h sender:server => wrong-heartbeat by=4")
                $0.server(socket, "h:1", at: 20.1)
            } unlike: {
                let socket = $0.synced()
                $0.client(socket, "h:0", at: 20)
                $0.server(socket, "h:5", at: 20.1)
            },
            RuleCase(R.unasked, .breaks, "an entity that nobody asked for") {
                let socket = $0.synced()
                $0.server(socket, "0:e:b.1\n?", at: 1)
            },
            RuleCase(R.unasked, .breaks, "cv:? that nobody asked for") {
                let socket = $0.synced()
                $0.server(socket, "0:cv:?", at: 1)
            },
            RuleCase(R.unasked, .behaves, "an entity that was asked for twice") {
                let socket = $0.synced()
                $0.client(socket, "0:e:a.1", at: 1)
                $0.client(socket, "0:e:a.1", at: 1.01)
                $0.server(socket, "0:e:a.1\n?", at: 1.1)
                $0.server(socket, "0:e:a.1\n?", at: 1.2)
            },
            RuleCase(R.unasked, .silent, "Tapedeck says it") {
                let socket = $0.synced()
                $0.inject(socket, .server, "0:e:b.1\n?", at: 1)
            },
            RuleCase(R.unopenedChannel, .breaks, "channel 7") {
                let socket = $0.synced()
                $0.server(socket, "7:c:[]", at: 1)
            },
            RuleCase(R.unopenedChannel, .behaves, "a channel that was opened meanwhile") {
                let socket = $0.synced()
                $0.open(socket, channel: 7, bucket: "tag", command: "cv:t0", at: 0.5)
                $0.server(socket, "7:c:[]", at: 1)
            },
            RuleCase(R.unopenedChannel, .silent, "Tapedeck moved it there") {
                let socket = $0.synced()
                $0.rule("command:c sender:server => unknown-channel to=7")
                $0.server(socket, "0:c:[]", at: 1)
            } unlike: {
                let socket = $0.synced()
                $0.server(socket, "7:c:[]", at: 1)
            },
            RuleCase(R.unopenedChannel, .silent, "the init may be among what is missing") {
                let socket = $0.synced()
                $0.gap(socket, at: 0.5)
                $0.server(socket, "7:c:[]", at: 1)
            },
            RuleCase(R.authForm, .breaks, "a number for a user") {
                let socket = $0.socket(at: 0)
                $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
                $0.server(socket, "0:auth:12345", at: 0.2)
            },
            RuleCase(R.authForm, .breaks, "a refusal without code") {
                let socket = $0.socket(at: 0)
                $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
                $0.server(socket, #"0:auth:{"msg":"no"}"#, at: 0.2)
            },
            RuleCase(R.authForm, .behaves, "a refusal as specified") {
                let socket = $0.socket(at: 0)
                $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
                $0.server(socket, #"0:auth:{"msg":"Token invalid","code":401}"#, at: 0.2)
            },
            RuleCase(R.authForm, .silent, "Tapedeck says that it has expired") {
                let socket = $0.socket(at: 0)
                $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
                $0.rule("command:init => auth-expired")
                $0.server(socket, "0:auth:expired", at: 0.2, isCalm: true)
            },
            RuleCase(R.cvForm, .breaks, "c:? to a client of today") {
                $0.resumed(at: 0, answer: "0:c:?")
            },
            RuleCase(R.cvForm, .behaves, "cv:?") {
                $0.resumed(at: 0, answer: "0:cv:?")
            },
            RuleCase(
                R.cvForm, .behaves, "c:? to a client without library",
                also: ["simperium.session.init-without-library"]
            ) {
                let socket = $0.socket(at: 0)
                $0.client(socket, SessionScript.initiation(channel: 0, rest: ""), at: 0.1)
                $0.server(socket, "0:auth:user@example.com", at: 0.2)
                $0.client(socket, "0:cv:old", at: 0.3)
                $0.server(socket, "0:c:?", at: 0.4)
            },
            RuleCase(R.cvForm, .silent, "Tapedeck said it") {
                let socket = $0.socket(at: 0)
                $0.open(socket, at: 0.1)
                $0.rule("command:cv => change-unknown")
                $0.client(socket, "0:cv:old", at: 0.2)
                $0.server(socket, "0:c:?", at: 0.3, isCalm: true)
            },
        ]

    /// Two clients on one bucket.
    static func two(_ script: inout SessionScript) -> (ConnectionID, ConnectionID) {
        (script.synced(), script.synced(at: 1, clientID: "c-2", client: "127.0.0.1:5001"))
    }

    static let changes: [RuleCase] = [
        RuleCase(R.echoMissing, .breaks, "the other client is not told") {
            let (one, two) = two(&$0)
            $0.editAndTell(one, at: 5)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.echoMissing, .behaves, "both are told") {
            let (one, two) = two(&$0)
            $0.editAndTell(one, at: 5)
            $0.server(two, SessionScript.reported(), at: 5.2)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.echoMissing, .behaves, "the other is told before the author") {
            let (one, two) = two(&$0)
            $0.editAndTell(one, at: 5)
            $0.server(two, SessionScript.reported(), at: 5.02)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.echoMissing, .behaves, "the other opened after the change was sent") {
            let one = $0.synced()
            $0.client(one, SessionScript.sent(), at: 0.9)
            let two = $0.resumed(at: 1, answer: SessionScript.reported(), clientID: "c-2")
            $0.server(one, SessionScript.reported(), at: 2)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.echoMissing, .silent, "a fault took it") {
            let (one, two) = two(&$0)
            $0.editAndTell(one, at: 5)
            $0.lose(two, .server, SessionScript.reported(), at: 5.2)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        } unlike: {
            let (one, two) = two(&$0)
            $0.editAndTell(one, at: 5)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.echoMissing, .silent, "another user") {
            let one = $0.synced()
            let two = $0.socket(at: 1, client: "127.0.0.1:5001")
            $0.client(two, SessionScript.initiation(channel: 0, bucket: "note"), at: 1.1)
            $0.server(two, "0:auth:other@example.com", at: 1.2)
            $0.editAndTell(one, at: 5)
            $0.beats(one, from: 15, to: 120)
            $0.beats(two, from: 16, to: 120)
        },
        RuleCase(R.versionGap, .breaks, "from 2 to 5 without what is between") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
        },
        RuleCase(R.versionGap, .behaves, "merged, and then the next") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ev: 5, ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
        },
        RuleCase(R.versionGap, .silent, "Tapedeck made the gap") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.rule("command:c sender:server => version-gap by=3", at: 2)
            $0.server(
                socket, SessionScript.reported(sv: 2, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
        } unlike: {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 5, ccid: "bb02", cv: "cv5", by: "x"), at: 2)
        },
        RuleCase(R.versionRepeated, .breaks, "two changes to version 2") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(ccid: "bb02", to: "z", cv: "cv2", by: "x"), at: 2)
        },
        RuleCase(R.versionRepeated, .behaves, "one change told twice") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 2)
        },
        RuleCase(R.versionRepeated, .silent, "the second is Tapedeck's") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.inject(
                socket, .server, SessionScript.reported(ccid: "bb02", to: "z", cv: "cv2", by: "x"),
                at: 2)
        },
        RuleCase(R.cvRepeated, .breaks, "one cv for two objects") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.server(socket, SessionScript.reported("b", ccid: "bb02", by: "x"), at: 2)
        },
        RuleCase(R.cvRepeated, .behaves, "one cv for one change, told to two clients") {
            let (one, two) = two(&$0)
            for socket in [one, two] {
                $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 2)
            }
        },
        RuleCase(R.cvRepeated, .silent, "a merged answer to cv") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", by: "x"), at: 1)
            $0.client(socket, "0:cv:cv0", at: 2)
            $0.server(socket, SessionScript.reported("b", ccid: "bb02", by: "x"), at: 2.1)
        },
    ]

    static func page(
        _ entries: String, current: String = "cv0", mark: String? = nil
    )
        -> String
    {
        #"0:i:{"current":"\#(current)","index":[\#(entries)]\#(mark.map { ",\"mark\":\"\($0)\"" } ?? "")}"#
    }

    static let one = #"{"id":"a","v":1,"d":{"t":"x"}}"#
    static let other = #"{"id":"b","v":1,"d":{"t":"x"}}"#

    /// A reading of two pages.
    static func pages(
        _ first: String, _ second: String, limit: Int = 1, mark: String = "m1", fault: Bool = false
    ) -> @Sendable (inout SessionScript) -> Void {
        {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            if fault { $0.act(socket, "latency 1ms", at: 0.15) }
            $0.client(socket, "0:i:1:::\(limit)", at: 0.2)
            $0.server(socket, first, at: 0.3)
            $0.client(socket, "0:i:1:\(mark)::\(limit)", at: 0.4)
            $0.server(socket, second, at: 0.5)
            $0.close(socket, at: 1)
        }
    }

    static let pages: [RuleCase] = [
        RuleCase(
            R.pageLoop, .breaks, "the mark it was asked with",
            pages(page(one, mark: "m1"), page(other, mark: "m1"))),
        RuleCase(
            R.pageLoop, .behaves, "another mark",
            pages(page(one, mark: "m1"), page(other, mark: "m2"))),
        RuleCase(
            R.pageLoop, .silent, "a fault touched the connection",
            pages(page(one, mark: "m1"), page(other, mark: "m1"), fault: true)),
        RuleCase(
            R.markDigits, .breaks, "12",
            pages(page(one, mark: "12"), page(other), mark: "12")),
        RuleCase(
            R.markDigits, .behaves, "12a",
            pages(page(one, mark: "12a"), page(other), mark: "12a")),
        RuleCase(
            R.markDigits, .silent, "a fault touched the connection",
            pages(page(one, mark: "12"), page(other), mark: "12", fault: true)),
        RuleCase(
            R.currentMoves, .breaks, "cv0, then cv1",
            pages(page(one, mark: "m1"), page(other, current: "cv1"))),
        RuleCase(
            R.currentMoves, .behaves, "cv0 twice", pages(page(one, mark: "m1"), page(other))),
        RuleCase(
            R.currentMoves, .silent, "Tapedeck moved it",
            pages(page(one, mark: "m1"), page(other, current: "cv1"), fault: true)),
        RuleCase(
            R.pageTooLong, .breaks, "two for one",
            pages(page("\(one),\(other)", mark: "m1"), page(""))),
        RuleCase(
            R.pageTooLong, .behaves, "two for two",
            pages(page("\(one),\(other)", mark: "m1"), page(""), limit: 2)),
        RuleCase(
            R.pageTooLong, .silent, "a fault touched the connection",
            pages(page("\(one),\(other)", mark: "m1"), page(""), fault: true)),
        RuleCase(
            R.pageWithoutData, .breaks, "no d though 1 was asked",
            pages(page(#"{"id":"a","v":1}"#, mark: "m1"), page(""))),
        RuleCase(R.pageWithoutData, .behaves, "no d where none was asked") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:i::::100", at: 0.2)
            $0.server(socket, page(#"{"id":"a","v":1}"#), at: 0.3)
        } unlike: {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.client(socket, "0:i:1:::100", at: 0.2)
            $0.server(socket, page(#"{"id":"a","v":1}"#), at: 0.3)
        },
        RuleCase(
            R.pageWithoutData, .silent, "a fault touched the connection",
            pages(page(#"{"id":"a","v":1}"#, mark: "m1"), page(""), fault: true)),
    ]
}
