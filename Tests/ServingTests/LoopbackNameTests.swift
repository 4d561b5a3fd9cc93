import Testing

@testable import Serving

struct LoopbackNameTests {
    @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LocalHost"])
    func `knows loopback`(host: String) { #expect(LoopbackName.isLoopback(host)) }

    @Test(arguments: ["127.0.0.1.example.org", "128.0.0.1", "", "127.0.0", "127.0.0.256"])
    func `knows what is not`(host: String) { #expect(!LoopbackName.isLoopback(host)) }

    @Test func `has all names under which a client may address it`() {
        #expect(
            LoopbackName.authorities("MyHost", 80)
                == ["127.0.0.1:80", "localhost:80", "[::1]:80", "myhost:80"])
    }
}
