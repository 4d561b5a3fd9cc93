/// Rules of nftables that redirect connections to a transparent listener.
struct RedirectRules {
    /// Whose connections are redirected.
    enum Source: Hashable {
        /// Those of a user of this machine.
        case user(String)
        /// Those of a group of this machine.
        case group(String)
        /// Those that come in by an interface, of the machines behind it.
        case interface(String)
    }

    /// Name of the table, by which the rules are taken back.
    static let table = "tapedeck"

    /// Whose connections they are.
    var sources: [Source]
    /// The ports of servers; all where empty.
    var ports: [Int]
    /// The port of the listener.
    var listener: Int

    /// The rules, as `nft -f` reads them; what was there of this name is replaced.
    var text: String {
        let servers =
            ports.isEmpty
            ? "tcp dport != \(listener)"
            : "tcp dport { \(ports.map { "\($0)" }.joined(separator: ", ")) }"
        var output: [String] = []
        var prerouting: [String] = []
        for source in sources {
            switch source {
            case .user(let name): output.append("meta skuid \"\(name)\" \(servers)")
            case .group(let name): output.append("meta skgid \"\(name)\" \(servers)")
            case .interface(let name): prerouting.append("iifname \"\(name)\" \(servers)")
            }
        }
        return """
            \(Self.removal)table inet \(Self.table) {
            \(chain("output", output))\(chain("prerouting", prerouting))}

            """
    }

    /// What takes the rules back, also where they are not there.
    static let removal = "table inet \(table)\ndelete table inet \(table)\n"

    private func chain(_ hook: String, _ matches: [String]) -> String {
        guard !matches.isEmpty else { return "" }
        let lines = matches.map { "        \($0) redirect to :\(listener)\n" }.joined()
        return """
                chain \(hook) {
                    type nat hook \(hook) priority -100; policy accept;
            \(lines)    }

            """
    }

    /// Those of a network that has nothing but programs whose connections are all redirected.
    static func isolated(connections: Int, questions: Int) -> String {
        """
        table ip \(table) {
            chain output {
                type nat hook output priority -100; policy accept;
                udp dport 53 redirect to :\(questions)
                meta l4proto tcp redirect to :\(connections)
            }
        }

        """
    }
}
