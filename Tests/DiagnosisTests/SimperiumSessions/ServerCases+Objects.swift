import Wire

@testable import Diagnosis

extension ServerCases {
    static let objects: [RuleCase] = [
        RuleCase(R.entityDiffers, .breaks, "version 1 told twice, differently") {
            let socket = $0.synced()
            entity(&$0, socket, "a.1", #"{"t":"other"}"#, at: 1)
        },
        RuleCase(R.entityDiffers, .breaks, "not what the changes make of it") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", to: "y", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 2, ccid: "bb02", to: "z", cv: "cv2", by: "x"),
                at: 2)
            entity(&$0, socket, "a.3", #"{"t":"y"}"#, at: 3)
        },
        RuleCase(R.entityDiffers, .breaks, "not what a change made") {
            let socket = $0.synced()
            $0.client(
                socket, #"0:c:{"id":"n","o":"M","v":{"t":{"o":"+","v":"y"}},"ccid":"aa01"}"#, at: 1)
            $0.server(
                socket,
                #"0:c:[{"clientid":"c-1","id":"n","o":"M","ev":1,"v":{"t":{"o":"+","v":"y"}},"cv":"cv1","ccids":["aa01"]}]"#,
                at: 1.1)
            entity(&$0, socket, "n.1", #"{"t":"z"}"#, at: 2)
        },
        RuleCase(R.entityDiffers, .behaves, "what the changes make of it, in other words") {
            let socket = $0.synced()
            $0.server(socket, SessionScript.reported(ccid: "bb01", to: "y", by: "x"), at: 1)
            $0.server(
                socket, SessionScript.reported(sv: 2, ccid: "bb02", to: "z", cv: "cv2", by: "x"),
                at: 2)
            entity(&$0, socket, "a.3", #"{ "t" : "z" }"#, at: 3)
            entity(&$0, socket, "a.1", #"{"t":"x"}"#, at: 4)
        },
        RuleCase(R.entityDiffers, .silent, "a change between was not seen") {
            let socket = $0.synced()
            $0.server(
                socket, SessionScript.reported(sv: 4, ccid: "bb02", to: "z", cv: "cv2", by: "x"),
                at: 2)
            entity(&$0, socket, "a.5", #"{"t":"y"}"#, at: 3)
        },
        RuleCase(R.entityDiffers, .silent, "the page was Tapedeck's") {
            let socket = $0.socket(at: 0)
            $0.open(socket, at: 0.1)
            $0.lose(socket, .client, "0:i:1:::100", at: 0.2)
            $0.inject(socket, .server, SessionScript.page, at: 0.3)
            entity(&$0, socket, "a.1", #"{"t":"other"}"#, at: 1)
        },
    ]

    static let losses: [RuleCase] = [
        RuleCase(R.goesBack, .breaks, "an index with the version before") {
            acknowledged(&$0, then: "0:i:1:::100", SessionScript.page)
        },
        RuleCase(R.goesBack, .breaks, "an index without the object") {
            acknowledged(&$0, then: "0:i:1:::100", #"0:i:{"current":"cv1","index":[]}"#)
        },
        RuleCase(R.goesBack, .breaks, "the version is not there any more") {
            acknowledged(&$0, then: "0:e:a.2", "0:e:a.2\n?")
        },
        RuleCase(
            R.goesBack, .breaks, "the next change makes a version below",
            also: ["simperium.server.versions-descend"]
        ) {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.client(socket, SessionScript.sent(sv: 2, ccid: "aa02", to: "z"), at: 2)
            $0.server(
                socket, SessionScript.reported(sv: 2, ev: 1, ccid: "aa02", to: "z", cv: "cv2"),
                at: 2.1)
        },
        RuleCase(R.goesBack, .behaves, "the version is there") {
            acknowledged(
                &$0, then: "0:i:1:::100",
                #"0:i:{"current":"cv1","index":[{"id":"a","v":2,"d":{"t":"y"}}]}"#)
        },
        RuleCase(R.goesBack, .behaves, "it was removed right then") {
            let socket = acknowledged(
                &$0, then: "0:i:1:::100", #"0:i:{"current":"cv1","index":[]}"#)
            $0.server(
                socket,
                #"0:c:[{"clientid":"x","id":"a","o":"-","sv":2,"ev":3,"cv":"cv2","ccids":["bb01"]}]"#,
                at: 11)
        },
        RuleCase(R.goesBack, .behaves, "an index that was begun before") {
            let socket = $0.synced()
            $0.client(socket, "0:i:1:::100", at: 0.9)
            $0.editAndTell(socket, at: 1)
            $0.server(socket, SessionScript.page, at: 1.2)
        } unlike: {
            acknowledged(&$0, then: "0:i:1:::100", SessionScript.page)
        },
        RuleCase(R.goesBack, .silent, "others may have removed it while nobody listened") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.close(socket, at: 5)
            $0.synced(at: 10, page: #"0:i:{"current":"cv1","index":[]}"#)
        } unlike: {
            acknowledged(&$0, then: "0:i:1:::100", #"0:i:{"current":"cv1","index":[]}"#)
        },
    ]

    /// A change that is acknowledged, and a request ten seconds later.
    @discardableResult
    private static func acknowledged(
        _ script: inout SessionScript, then request: String, _ answer: String
    ) -> ConnectionID {
        let socket = script.synced()
        script.editAndTell(socket, at: 1)
        script.client(socket, request, at: 10)
        script.server(socket, answer, at: 10.1)
        script.beats(socket, from: 15, to: 40)
        return socket
    }

    static func entity(
        _ script: inout SessionScript, _ socket: ConnectionID, _ name: String, _ data: String,
        at: Double
    ) {
        script.client(socket, "0:e:\(name)", at: at)
        script.server(socket, "0:e:\(name)\n{\"data\":\(data)}", at: at + 0.1)
    }
}
