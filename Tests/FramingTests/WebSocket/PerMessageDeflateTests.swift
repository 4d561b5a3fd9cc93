import Framing
import Testing
import Wire

struct PerMessageDeflateTests {
    @Test func `reads what a response agrees to`() throws {
        let agreed = try #require(
            PerMessageDeflate.negotiated(responseExtensions: [
                "x-one, permessage-deflate; server_no_context_takeover; client_max_window_bits=9",
                "x-two",
            ]))
        #expect(agreed.serverNoContextTakeover && !agreed.clientNoContextTakeover)
        #expect(agreed.windowBits(.client) == 9 && agreed.windowBits(.server) == 15)
        #expect(agreed.takesContextOver(.client) && !agreed.takesContextOver(.server))
        #expect(agreed.unknownExtensions == ["x-one", "x-two"])
        #expect(agreed.problem == nil)
        #expect(
            PerMessageDeflate.negotiated(responseExtensions: [
                "Permessage-Deflate; server_max_window_bits=\"10\""
            ])?.serverMaxWindowBits == 10)
    }

    @Test(arguments: [[], [""], ["x-webkit-deflate-frame"], ["permessage-deflated"]])
    func `agrees to nothing without the extension`(values: [String]) {
        #expect(PerMessageDeflate.negotiated(responseExtensions: values) == nil)
    }

    @Test(arguments: [
        "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16",
        "server_max_window_bits=08", "server_no_context_takeover=1", "client_max_window_bits",
        "foo", "server_no_context_takeover; server_no_context_takeover",
    ])
    func `says which parameter is wrong and decodes all the same`(parameters: String) {
        let agreed = PerMessageDeflate.negotiated(
            responseExtensions: ["permessage-deflate; \(parameters)"])
        #expect(agreed?.problem != nil)
    }

    @Test(arguments: [
        ("permessage-deflate", "permessage-deflate"),
        ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
        (
            "permessage-deflate; server_max_window_bits=10; server_no_context_takeover",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"
        ),
        (
            "permessage-deflate; foo, permessage-deflate; client_no_context_takeover",
            "permessage-deflate; client_no_context_takeover"
        ),
        ("permessage-deflate; server_max_window_bits=99", nil), ("other", nil),
    ])
    func `accepts the first offer that it can`(offer: String, answer: String?) {
        let accepted = PerMessageDeflate.accepting(requestExtensions: [offer])
        #expect(accepted?.fieldValue == answer)
        if let answer {
            #expect(PerMessageDeflate.negotiated(responseExtensions: [answer]) == accepted)
        }
    }

    /// RFC 7692, section 7.2.3.
    @Test(arguments: [
        ("f2 48 cd c9 c9 07 00", "Hello"),
        ("00 05 00 fa ff 48 65 6c 6c 6f 00", "Hello"),
        ("f3 48 cd c9 c9 07 00 00", "Hello"),
        ("f2 48 05 00 00 00 ff ff ca c9 c9 07 00", "Hello"),
        ("00", ""),
    ])
    func `inflates the examples of RFC 7692`(hex: String, text: String) throws {
        let inflater = MessageInflater()
        #expect(try inflater.inflate(WebSocketPlay.hex(hex).span) == Array(text.utf8))
        // Whatever kind of block it ended with, the next message goes on from there.
        #expect(
            try inflater.inflate(WebSocketPlay.hex("f2 48 cd c9 c9 07 00").span)
                == Array("Hello".utf8))
    }

    @Test func `takes the context over as in RFC 7692, 7.2.3.2`() throws {
        let first = WebSocketPlay.hex("f2 48 cd c9 c9 07 00")
        let second = WebSocketPlay.hex("f2 00 11 00 00")
        let inflater = MessageInflater()
        #expect(try inflater.inflate(first.span) == Array("Hello".utf8))
        #expect(try inflater.inflate(second.span) == Array("Hello".utf8))
        let forgetful = MessageInflater(contextTakeover: false)
        #expect(try forgetful.inflate(first.span) == Array("Hello".utf8))
        #expect(throws: MessageInflateError.self) { try forgetful.inflate(second.span) }
    }

    @Test func `takes the context over after a final block`() throws {
        let inflater = MessageInflater()
        #expect(
            try inflater.inflate(WebSocketPlay.hex("f3 48 cd c9 c9 07 00 00").span)
                == Array("Hello".utf8))
        #expect(
            try inflater.inflate(WebSocketPlay.hex("f2 00 11 00 00").span) == Array("Hello".utf8))
        // The final block may also be the last thing in the message.
        #expect(
            try inflater.inflate(WebSocketPlay.hex("f3 48 cd c9 c9 07 00").span)
                == Array("Hello".utf8))
        #expect(
            try inflater.inflate(WebSocketPlay.hex("f2 00 11 00 00").span) == Array("Hello".utf8))
    }

    @Test func `reads the compressed fragments of RFC 7692`() {
        let events = WebSocketPlay.events(
            WebSocketPlay.hex("41 03 f2 48 cd 80 04 c9 c9 07 00 c1 07 f2 48 cd c9 c9 07 00"),
            compression: PerMessageDeflate())
        let messages = WebSocketPlay.messages(events)
        #expect(messages.map(\.payload) == [Array("Hello".utf8), Array("Hello".utf8)])
        #expect(messages.map(\.wireSize) == [7, 7] && messages.map(\.size) == [5, 5])
        #expect(messages.allSatisfy { $0.isCompressed && $0.isText && $0.problem == nil })
        #expect(WebSocketPlay.notes(events).isEmpty)
    }
}
