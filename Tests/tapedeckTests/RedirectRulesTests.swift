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

    @Test func `with TPROXY packets keep their address`() {
        let rules = RedirectRules(
            sources: [.user("app"), .interface("wlan0")], ports: [443], listener: 8080,
            way: .tproxy)
        #expect(
            rules.text == """
                table inet tapedeck
                delete table inet tapedeck
                table inet tapedeck {
                    chain output {
                        type route hook output priority -150; policy accept;
                        meta skuid "app" tcp dport { 443 } meta mark set 29793
                    }
                    chain prerouting {
                        type filter hook prerouting priority -150; policy accept;
                        iifname "lo" meta mark 29793 meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:8080 meta mark set 29793 accept
                        iifname "lo" meta mark 29793 meta nfproto ipv6 meta l4proto tcp tproxy ip6 to [::1]:8080 meta mark set 29793 accept
                        iifname "wlan0" tcp dport { 443 } meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:8080 meta mark set 29793 accept
                        iifname "wlan0" tcp dport { 443 } meta nfproto ipv6 meta l4proto tcp tproxy ip6 to [::1]:8080 meta mark set 29793 accept
                    }
                }

                """)
        let script = rules.steps.map(\.script).joined()
        #expect(
            script.hasSuffix(
                """
                END
                ip -4 rule add fwmark 29793 lookup 29793
                ip -4 route replace local default dev lo table 29793
                ip -6 rule add fwmark 29793 lookup 29793 2>/dev/null || true
                ip -6 route replace local default dev lo table 29793 2>/dev/null || true

                """))
        #expect(script.hasPrefix("nft -f - <<'END'\ntable inet tapedeck\ndelete table"))
        #expect(
            rules.summary.hasPrefix(
                "connections of user app, interface wlan0 to port 443 come to port 8080 ("))
    }

    @Test func `the interfaces of a namespace are those whose other end is in it`() {
        let links = """
            [{"ifindex":1,"ifname":"lo"},{"ifname":"veth0","link_netnsid":0},
            {"ifname":"veth1","link_netnsid":1},{"ifname":"veth2","link_netnsid":0}]
            """
        let namespaces = #"[{"nsid":0,"name":"client"},{"nsid":1,"name":"other"},{"nsid":2}]"#
        func interfaces(_ name: String, _ namespaces: String) -> [String] {
            NamespaceLinks.interfaces(into: name, namespaces: namespaces, links: links)
        }
        #expect(interfaces("client", namespaces) == ["veth0", "veth2"])
        #expect(interfaces("nobody", namespaces) == [])
        #expect(interfaces("client", "") == [])
    }
}
