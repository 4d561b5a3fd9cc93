import Wire

@testable import Diagnosis

/// A client of Simperium that behaves, to be made to misbehave.
extension SessionScript {
    /// The index of one object, with its data.
    static let page = #"0:i:{"current":"cv0","index":[{"id":"a","v":1,"d":{"t":"x"}}]}"#

    /// Connects, opens a bucket and reads its index with data, in half a second.
    @discardableResult
    mutating func synced(
        at: Double = 0, clientID: String = "c-1", page: String = SessionScript.page,
        client: String = "127.0.0.1:5000"
    ) -> ConnectionID {
        let id = socket(at: at, client: client)
        open(id, clientID: clientID, at: at + 0.1)
        self.client(id, "0:i:1:::100", at: at + 0.2)
        server(id, page, at: at + 0.3)
        return id
    }

    /// Connects and is sent the index twice: it asks once or, before the answer to its init, also
    /// then.
    mutating func hasty(isEarly: Bool) {
        let id = socket(at: 0)
        client(
            id,
            #"0:init:{"name":"note","clientid":"c-1","api":"1.1","token":"t","app_id":"app","library":"lib","version":"1"}"#,
            at: 0.1)
        if isEarly { client(id, "0:i:1:::100", at: 0.11) }
        server(id, "0:auth:user@example.com", at: 0.2)
        client(id, "0:i:1:::100", at: 0.3)
        server(id, Self.page, at: 0.31)
        server(id, Self.page, at: 0.4)
    }

    /// Connects, opens a bucket and asks for changes.
    @discardableResult
    mutating func resumed(
        at: Double, cv: String = "cv0", answer: String = "0:c:[]", clientID: String = "c-1",
        client: String = "127.0.0.1:5001"
    ) -> ConnectionID {
        let id = socket(at: at, client: client)
        open(id, clientID: clientID, at: at + 0.1)
        self.client(id, "0:cv:\(cv)", at: at + 0.2)
        server(id, answer, at: at + 0.3)
        return id
    }

    /// A heartbeat and its answer.
    mutating func beat(_ id: ConnectionID, _ count: Int = 0, at: Double) {
        client(id, "h:\(count)", at: at)
        server(id, "h:\(count + 1)", at: at + 0.01)
    }

    /// Heartbeats every 15 s, from a moment to another.
    mutating func beats(_ id: ConnectionID, from: Double, to: Double) {
        var (at, count) = (from, 0)
        while at < to {
            beat(id, count, at: at)
            count += 2
            at += 15
        }
    }

    /// What a client sends to change `t` of an object.
    static func sent(
        _ key: String = "a", sv: Int = 1, ccid: String = "aa01", to text: String = "y"
    ) -> String {
        #"0:c:{"id":"\#(key)","o":"M","sv":\#(sv),"v":{"t":{"o":"r","v":"\#(text)"}},"ccid":"\#(ccid)"}"#
    }

    /// How a server tells of it.
    static func reported(
        _ key: String = "a", sv: Int = 1, ev: Int? = nil, ccid: String = "aa01",
        to text: String = "y", cv: String = "cv1", by clientID: String = "c-1"
    ) -> String {
        #"0:c:[{"clientid":"\#(clientID)","id":"\#(key)","o":"M","sv":\#(sv),"ev":\#(ev ?? sv + 1),"v":{"t":{"o":"r","v":"\#(text)"}},"cv":"\#(cv)","ccids":["\#(ccid)"]}]"#
    }

    /// A change and its acknowledgement.
    mutating func editAndTell(
        _ id: ConnectionID, _ key: String = "a", sv: Int = 1, ccid: String = "aa01",
        to text: String = "y", cv: String = "cv1", by clientID: String = "c-1", at: Double
    ) {
        client(id, Self.sent(key, sv: sv, ccid: ccid, to: text), at: at)
        server(
            id, Self.reported(key, sv: sv, ccid: ccid, to: text, cv: cv, by: clientID),
            at: at + 0.05)
    }

    /// What a client opens channel 1 with.
    static func initiation(
        channel: Int = 1, bucket: String = "tag", clientID: String = #""clientid":"c-1""#,
        api: String = #""api":"1.1""#, rest: String = #","library":"lib","version":"1""#
    ) -> String {
        #"\#(channel):init:{"name":"\#(bucket)",\#(clientID),\#(api),"token":"t","app_id":"app"\#(rest)}"#
    }
}
