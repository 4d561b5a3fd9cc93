import Wire

/// A socket on which a bucket is open.
func opened(_ book: inout Playbook, _ seconds: Double = 0) -> ConnectionID {
    let connection = book.connect(seconds)
    open(&book, seconds, connection)
    return connection
}

/// A client opens the bucket.
func open(
    _ book: inout Playbook, _ seconds: Double, _ connection: ConnectionID, client: String = "me",
    token: String = "t"
) {
    book.command(
        seconds, .client,
        #"0:init:{"name":"notes","clientid":"\#(client)","token":"\#(token)","app_id":"a","api":"1.1"}"#,
        on: connection)
}

/// A change of a client.
func change(
    _ key: String, _ ccid: String, _ operations: String = #"{"a":{"o":"+","v":1}}"#
) -> String {
    #"0:c:{"id":"\#(key)","o":"M","v":\#(operations),"ccid":"\#(ccid)"}"#
}

/// A change as the server sends it.
func acknowledgement(
    _ key: String, _ ccid: String, ev: Int = 2, by client: String = "me"
) -> String {
    #"0:c:[{"clientid":"\#(client)","id":"\#(key)","o":"M","v":{},"sv":\#(ev - 1),"ev":\#(ev),"cv":"5\#(ev)","ccids":["\#(ccid)"]}]"#
}

/// The refusal of a change.
func refusal(_ key: String, _ ccid: String, _ code: Int) -> String {
    #"0:c:[{"clientid":"me","id":"\#(key)","error":\#(code),"ccids":["\#(ccid)"]}]"#
}
