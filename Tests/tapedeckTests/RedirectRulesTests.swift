import Testing

@testable import tapedeck

@Suite struct RedirectRulesTests {
    @Test func `rules are about users, groups and interfaces`() {
        let rules = RedirectRules(
            sources: [.user("app"), .interface("wlan0")], ports: [80, 443], listener: 8080)
        #expect(
            rules.text == """
                table inet tapedeck
                delete table inet tapedeck
                table inet tapedeck {
                    chain output {
                        type nat hook output priority -100; policy accept;
                        meta skuid "app" tcp dport { 80, 443 } redirect to :8080
                    }
                    chain prerouting {
                        type nat hook prerouting priority -100; policy accept;
                        iifname "wlan0" tcp dport { 80, 443 } redirect to :8080
                    }
                }

                """)
        let all = RedirectRules(sources: [.group("apps")], ports: [], listener: 9).text
        #expect(all.contains("meta skgid \"apps\" tcp dport != 9 redirect to :9"))
        #expect(!all.contains("prerouting"))
    }
}
