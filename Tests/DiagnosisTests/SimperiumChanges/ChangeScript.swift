import Notation
import Simperium
import Wire

@testable import Diagnosis

/// Sessions about one object: `k` of the bucket `note`, at version 3.
extension SessionScript {
    static let text = "Hello world, this is the text of a note"

    /// The object as it is at the beginning.
    static let object = #"{"text":"\#(text)","n":1,"on":true,"list":[1,2]}"#

    /// Operations that make one text of another.
    static func delta(_ old: String, _ new: String, _ member: String = "text") -> String {
        let delta = JSONValue.string(StringDelta.diff(from: old, to: new).text).text()
        return #"{"\#(member)":{"o":"d","v":\#(delta)}}"#
    }

    /// Operations that append so much to the text.
    static func append(_ times: Int = 1) -> String {
        delta(text + suffix(times - 1), text + suffix(times))
    }

    static func suffix(_ times: Int) -> String { String(repeating: " more", count: times) }

    /// A client connects, opens the bucket and reads its index.
    mutating func ready(
        at: Double = 0, clientID: String = "c-1", hasData: Bool = true,
        object: String = Self.object
    ) -> ConnectionID {
        let c = socket(at: at)
        open(c, clientID: clientID, at: at + 0.1)
        client(c, hasData ? "0:i:1:::100" : "0:i::::100", at: at + 0.2)
        let d = hasData ? #","d":\#(object)"# : ""
        server(c, #"0:i:{"current":"cv1","index":[{"id":"k","v":3\#(d)}]}"#, at: at + 0.3)
        return c
    }

    /// A client connects again and asks for what happened; nothing has.
    mutating func again(
        at: Double, clientID: String = "c-1", answer: String = "[]"
    ) -> ConnectionID {
        let c = socket(at: at)
        open(c, clientID: clientID, at: at + 0.1)
        client(c, "0:cv:cv1", at: at + 0.2)
        server(c, "0:c:\(answer)", at: at + 0.3)
        return c
    }

    static func change(
        _ ccid: String, _ v: String?, sv: Int?, key: String = "k", o: String = "M",
        d: String? = nil
    ) -> String {
        let sv = sv.map { #","sv":\#($0)"# } ?? ""
        let v = v.map { #","v":\#($0)"# } ?? ""
        let d = d.map { #","d":\#($0)"# } ?? ""
        return #"0:c:{"id":"\#(key)","o":"\#(o)"\#(v)\#(sv)\#(d),"ccid":"\#(ccid)"}"#
    }

    /// The client sends a change.
    mutating func edit(
        _ c: ConnectionID, _ ccid: String, _ v: String? = Self.append(), sv: Int? = 3,
        key: String = "k", o: String = "M", d: String? = nil, at: Double
    ) {
        client(c, Self.change(ccid, v, sv: sv, key: key, o: o, d: d), at: at)
    }

    static func acknowledgement(
        _ ccid: String, _ v: String?, sv: Int?, ev: Int, key: String = "k", o: String = "M",
        by client: String = "c-1"
    ) -> String {
        let sv = sv.map { #","sv":\#($0)"# } ?? ""
        let v = v.map { #","v":\#($0)"# } ?? ""
        let cv = key == "k" ? "cv\(ev)" : "cv-\(key)-\(ev)"
        return
            #"{"clientid":"\#(client)","id":"\#(key)","o":"\#(o)"\#(v)\#(sv),"ev":\#(ev),"cv":"\#(cv)","ccids":["\#(ccid)"]}"#
    }

    /// The server tells that a change was made.
    mutating func made(
        _ c: ConnectionID, _ ccid: String, _ v: String? = Self.append(), sv: Int? = 3,
        ev: Int = 4, key: String = "k", o: String = "M", by client: String = "c-1", at: Double
    ) {
        server(
            c,
            "0:c:["
                + Self.acknowledgement(ccid, v, sv: sv, ev: ev, key: key, o: o, by: client) + "]",
            at: at)
    }

    /// The server, or Tapedeck in its name, refuses a change.
    mutating func refused(
        _ c: ConnectionID, _ ccid: String, _ code: Int, key: String = "k",
        by client: String = "c-1",
        at: Double, made: Bool = false
    ) {
        // In the place of what is said within the tenth of a second before.
        if made { rule("command:c sender:client => error \(code)", at: at - 0.1) }
        server(
            c,
            #"0:c:[{"clientid":"\#(client)","id":"\#(key)","error":\#(code),"ccids":["\#(ccid)"]}]"#,
            at: at, isCalm: made)
    }

    /// Heartbeats that are answered.
    mutating func beat(_ c: ConnectionID, from: Double, through: Double, number: Int = 0) {
        var number = number
        for at in stride(from: from, through: through, by: 20) {
            client(c, "h:\(number)", at: at)
            server(c, "h:\(number + 1)", at: at + 0.05)
            number += 2
        }
    }

    /// Changes of other objects that are made, for a client that goes on.
    mutating func elsewhere(_ c: ConnectionID, _ count: Int, at: Double, named name: String = "") {
        for number in 0..<count {
            let at = at + Double(number)
            let v = #"{"n":{"o":"+","v":\#(number)}}"#
            let key = "other\(name)\(number)"
            edit(c, "e\(name)\(number)", v, sv: nil, key: key, at: at)
            made(c, "e\(name)\(number)", v, sv: nil, ev: 1, key: key, at: at + 0.1)
        }
    }
}
