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

    static func entity(
        _ script: inout SessionScript, _ socket: ConnectionID, _ name: String, _ data: String,
        at: Double
    ) {
        script.client(socket, "0:e:\(name)", at: at)
        script.server(socket, "0:e:\(name)\n{\"data\":\(data)}", at: at + 0.1)
    }
}
