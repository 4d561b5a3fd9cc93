import Proxying
import Testing

@testable import tapedeck

@Suite struct UserAgentTests {
    @Test(
        arguments: [
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
                "Chrome 141 on Android 14"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
                "Safari 18.1 on an iPhone with iOS 18.1"
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
                "Firefox 128 on Linux"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
                "Edge 141 on Windows"
            ),
            ("curl/7.88.1", "curl 7.88"), ("python-requests/2.32.3", "Python requests 2.32"),
            ("okhttp/4.12.0", "okhttp 4.12"),
            ("MyApp/3 CFNetwork/1568 Darwin/24.1.0", "an app by Apple's CFNetwork on macOS or iOS"),
            ("org.commcare.dalvik/2.54", "org.commcare.dalvik/2.54"),
            ("", "a program that does not say what it is"), ("curl/", "curl"),
        ])
    func `a program is named for people`(field: String, text: String) {
        #expect(UserAgent.text(field) == text)
    }

    @Test func `a hostile field is short and is no markup`() {
        #expect(UserAgent.text(String(repeating: "x", count: 10_000)).count == 100)
        let part = ClientPart.html(
            ClientTrust(address: "::1"), userAgent: "<script>", unixSeconds: 0)
        #expect(part.contains("&lt;script&gt;") && !part.contains("<script>"))
    }

    @Test func `the newest handshake comes first`() {
        var client = ClientTrust(address: "10.0.0.1")
        #expect(
            ClientPart.html(client, userAgent: nil, unixSeconds: 10).contains(
                "has used TLS through the proxy yet"))
        client.refused = .init(host: "a.test", unixSeconds: 5, failure: "it sent <alert> 48")
        client.accepted = .init(host: "b.test", unixSeconds: 500)
        let text = ClientPart.html(client, userAgent: "curl/8.1", unixSeconds: 501)
        #expect(text.contains("<b>curl 8.1</b>, at 10.0.0.1"))
        let accepted = text.firstRange(of: "b.test was accepted just now")
        let refused = text.firstRange(of: "a.test failed 8 minutes ago: it sent &lt;alert&gt; 48.")
        #expect(accepted != nil && refused != nil)
        if let accepted, let refused { #expect(accepted.lowerBound < refused.lowerBound) }
    }
}
