/// Rules of nftables that lead connections to a transparent listener.
struct RedirectRules {
    /// Whose connections are redirected.
    enum Source: Hashable {
        /// Those of a user of this machine.
        case user(String)
        /// Those of a group of this machine.
        case group(String)
        /// Those that come in by an interface, of the machines behind it.
        case interface(String)

        /// Which packets are theirs, as nftables has it.
        var match: String {
            switch self {
            case .user(let name): "meta skuid \"\(name)\""
            case .group(let name): "meta skgid \"\(name)\""
            case .interface(let name): "iifname \"\(name)\""
            }
        }

        /// Whose they are, for people.
        var text: String {
            switch self {
            case .user(let name): "user \(name)"
            case .group(let name): "group \(name)"
            case .interface(let name): "interface \(name)"
            }
        }

        /// Whether they are made on this machine.
        var isLocal: Bool { if case .interface = self { false } else { true } }
    }

    /// How connections are led to the listener.
    enum Way: Hashable {
        /// Their address is changed to that of the listener, and asked for afterwards.
        case redirect
        /// They keep their address, and the listener takes connections to any (TPROXY).
        case tproxy
    }

    /// Name of the table, by which the rules are taken back.
    static let table = "tapedeck"
    /// The mark of packets that are led to a listener of TPROXY, and the number of the table of routes
    /// by which they are delivered on this machine.
    static let mark = 29_793

    /// Whose connections they are.
    var sources: [Source]
    /// The ports of servers; all where empty.
    var ports: [Int]
    /// The port of the listener.
    var listener: Int
    /// How they are led there.
    var way = Way.redirect

    /// The rules, as `nft -f` reads them; what was there of this name is replaced.
    var text: String {
        let local = sources.filter(\.isLocal).map { "\($0.match) \(servers)" }
        let incoming = sources.filter { !$0.isLocal }.map { "\($0.match) \(servers)" }
        let chains =
            switch way {
            case .redirect:
                Self.chain("output", .nat, local.map { "\($0) redirect to :\(listener)" })
                    + Self.chain(
                        "prerouting", .nat, incoming.map { "\($0) redirect to :\(listener)" })
            case .tproxy:
                // What is marked is routed once more: to this machine, where it comes in by lo.
                Self.chain("output", .route, local.map { "\($0) meta mark set \(Self.mark)" })
                    + Self.chain(
                        "prerouting", .filter,
                        (local.isEmpty ? [] : delivered("iifname \"lo\" meta mark \(Self.mark)"))
                            + incoming.flatMap(delivered))
            }
        return "\(Self.removal)table inet \(Self.table) {\n\(chains)}\n"
    }

    /// Which servers are meant.
    private var servers: String {
        ports.isEmpty
            ? "tcp dport != \(listener)"
            : "tcp dport { \(ports.map { "\($0)" }.joined(separator: ", ")) }"
    }

    /// What hands packets to the listener of each kind of address.
    private func delivered(_ match: String) -> [String] {
        [("ipv4", "ip to 127.0.0.1"), ("ipv6", "ip6 to [::1]")].map { family, place in
            "\(match) meta nfproto \(family) meta l4proto tcp tproxy \(place):\(listener) "
                + "meta mark set \(Self.mark) accept"
        }
    }

    /// What makes the redirections, in order; those of an earlier run are replaced.
    var steps: [RedirectStep] {
        var steps = Self.removalSteps + [.rules(text)]
        guard way == .tproxy else { return steps }
        for family in ["-4", "-6"] {
            let mayFail = family == "-6"
            steps.append(
                .ip("\(family) rule add fwmark \(Self.mark) lookup \(Self.mark)", mayFail: mayFail))
            steps.append(
                .ip(
                    "\(family) route replace local default dev lo table \(Self.mark)",
                    mayFail: mayFail))
        }
        return steps
    }

    /// What is in force once they are made, for people.
    var summary: String {
        let who = sources.map(\.text).joined(separator: ", ")
        let what = ports.isEmpty ? "" : " to port \(ports.map { "\($0)" }.joined(separator: ", "))"
        let how =
            switch way {
            case .redirect: "table inet \(Self.table) of nftables"
            case .tproxy:
                "table inet \(Self.table) of nftables, and rule and routes of the table \(Self.mark)"
            }
        return "connections of \(who)\(what) come to port \(listener) (\(how))"
    }

    /// What takes the redirections of any run back, also where there are none.
    static let removalSteps: [RedirectStep] =
        [.rules(removal)]
        + ["-4", "-6"].flatMap { family in
            [
                .ip("\(family) rule del fwmark \(mark) lookup \(mark)", mayFail: true),
                .ip("\(family) route flush table \(mark)", mayFail: true),
            ]
        }

    /// What takes the rules back, also where they are not there.
    static let removal = "table inet \(table)\ndelete table inet \(table)\n"

    /// When a chain comes into play.
    private enum Hook: String {
        case nat = "type nat hook %@ priority -100"
        case route = "type route hook %@ priority -150"
        case filter = "type filter hook %@ priority -150"
    }

    private static func chain(_ name: String, _ hook: Hook, _ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        let text = lines.map { "        \($0)\n" }.joined()
        return """
                chain \(name) {
                    \(hook.rawValue.replacing("%@", with: name)); policy accept;
            \(text)    }

            """
    }

    /// Where the sockets of a network listen that are to get everything, by kind of address.
    struct Ports {
        /// Port of the socket for connections.
        var connections: Int
        /// Port of the socket for questions for names.
        var questions: Int
    }

    /// Those of a network that has nothing but programs whose connections are all redirected.
    ///
    /// Other datagrams than questions for names go to a port where nobody is, so that who sends them
    /// learns at once that there is no way: QUIC goes on with TCP then.
    static func isolated(_ ports: Ports, isIPv6: Bool) -> String {
        let (family, own) = isIPv6 ? ("ip6", "::1") : ("ip", "127.0.0.0/8")
        return """
            table \(family) \(table) {
                chain output {
                    type nat hook output priority -100; policy accept;
                    udp dport 53 redirect to :\(ports.questions)
                    meta l4proto tcp redirect to :\(ports.connections)
                    meta l4proto udp \(family) daddr != \(own) redirect to :1
                }
            }

            """
    }
}
