import Framing
import Testing

struct WebSocketExtensionTests {
    @Test func `reads names, parameters and quoted values of several fields`() {
        let parsed = WebSocketExtension.parse([
            #" Foo ; a ; b = 1;c="x,\"y;" , bar"#, "", "baz;;q=", ",;a=1",
        ])
        #expect(
            parsed == [
                WebSocketExtension(
                    name: "foo",
                    parameters: [
                        .init(name: "a"), .init(name: "b", value: "1"),
                        .init(name: "c", value: #"x,"y;"#),
                    ]), WebSocketExtension(name: "bar"),
                WebSocketExtension(name: "baz", parameters: [.init(name: "q", value: "")]),
            ])
    }

    @Test func `survives quotes that do not end`() {
        #expect(
            WebSocketExtension.parse([#"a;b="c,d"#, #"""#, #"a;b="\"#]).map(\.name) == [
                "a", "\"", "a",
            ])
    }
}
