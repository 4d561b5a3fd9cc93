import Notation
import Replaying
import Simperium
import Wire

/// A session that is told line by line.
struct Talk {
    var state = SessionState()
    private var number: Int64 = 0

    /// What became of a line on its way.
    enum Passage {
        case whole
        case lost
        case made
        case altered(String)
    }

    mutating func say(
        _ sender: Peer, _ text: String, on socket: Int64 = 1, _ passage: Passage = .whole
    ) {
        number += 1
        let line = bytes(text)
        let id = CommandID(number)
        let at = Instant(nanoseconds: number * 1_000)
        let socket = ConnectionID(socket)
        switch passage {
        case .whole: state.command(id, socket: socket, sender: sender, at: at, text: line)
        case .lost:
            state.command(nil, socket: socket, sender: sender, at: at, sent: line, received: nil)
        case .made:
            state.command(id, socket: socket, sender: sender, at: at, sent: nil, received: line)
        case .altered(let other):
            state.command(
                id, socket: socket, sender: sender, at: at, sent: line, received: bytes(other))
        }
    }

    mutating func client(_ text: String, on socket: Int64 = 1, _ passage: Passage = .whole) {
        say(.client, text, on: socket, passage)
    }

    mutating func server(_ text: String, on socket: Int64 = 1, _ passage: Passage = .whole) {
        say(.server, text, on: socket, passage)
    }

    /// A client opens the bucket `notes` on channel 0 and reads its index.
    mutating func join(_ client: String, on socket: Int64 = 1, index: String? = #"{"index":[]}"#) {
        self.client(
            #"0:init:{"clientid":"\#(client)","app_id":"app","name":"notes","token":"t"}"#,
            on: socket)
        server("0:auth:ada", on: socket)
        guard let index else { return }
        self.client("0:i:1:::10", on: socket)
        server("0:i:\(index)", on: socket)
    }

    var bucket: BucketState? { state.buckets.first }

    func version(_ key: String, _ client: String? = nil) -> Int64? {
        guard let client else { return bucket?.object(key)?.version }
        return bucket?.client(client)?.object(key)?.version
    }

    func json(_ key: String, _ client: String? = nil) -> String? {
        guard let client else { return bucket?.object(key)?.json.map { string($0) } }
        return bucket?.client(client)?.local(key).json.map { string($0) }
    }

    func outcomes(_ key: String, _ client: String) -> [UnacknowledgedChange.Outcome] {
        bucket?.client(client)?.unacknowledged[ExactText(key)]?.map(\.outcome) ?? []
    }

    /// `CLIENT KEY WHAT` of each disagreement.
    var disagreements: [String] {
        guard let bucket else { return [] }
        return bucket.clients.flatMap { client in
            bucket.disagreements(with: client).map { "\($0.client) \($0.key) \($0.kind.rawValue)" }
        }
    }
}

/// A change as a client sends it.
func change(_ key: String, _ ccid: String, sv: Int64? = nil, _ v: String) -> String {
    let base = sv.map { #","sv":\#($0)"# } ?? ""
    return #"0:c:{"id":"\#(key)","o":"M","ccid":"\#(ccid)"\#(base),"v":\#(v)}"#
}

/// The same as the server tells it.
func echo(
    _ key: String, _ ccid: String, sv: Int64? = nil, ev: Int64, cv: String, _ v: String
) -> String {
    let base = sv.map { #","sv":\#($0)"# } ?? ""
    return
        #"0:c:[{"id":"\#(key)","o":"M","ccids":["\#(ccid)"]\#(base),"ev":\#(ev),"cv":"\#(cv)","v":\#(v)}]"#
}

let creates = #"{"a":{"o":"+","v":1}}"#

func sets(_ value: Int) -> String { #"{"a":{"o":"r","v":\#(value)}}"# }
