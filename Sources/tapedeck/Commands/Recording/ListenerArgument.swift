import ArgumentParser
import Foundation
import Proxying

/// What `record --listen` takes: an address, and what is listened for there.
struct ListenerArgument: ExpressibleByArgument, Hashable {
    /// What clients of it find.
    enum Kind: Hashable {
        /// What `--to` says: that server, or else a proxy of HTTP and SOCKS.
        case usual
        /// An HTTP proxy.
        case http
        /// A SOCKS proxy, for clients with these credentials where there are some.
        case socks(SOCKSCredentials?)
        /// This server.
        case reverse(ServerAddress)
        /// What the system redirects.
        case transparent
        /// What the system leads here with its addresses unchanged.
        case tproxy
    }

    /// What is listened for.
    let kind: Kind
    /// Host to listen on, and the port.
    let host: String
    let port: Int

    init(_ address: ListenAddress) {
        (kind, host, port) = (.usual, address.host, address.port)
    }

    /// `HOST:PORT`, `http://HOST:PORT`, `socks5://[USER:PASSWORD@]HOST:PORT`,
    /// `reverse:[HOST:]PORT=URL`, `transparent:[HOST:]PORT` or `tproxy:[HOST:]PORT`.
    init?(argument: String) {
        let kind: Kind
        var place = argument[...]
        if argument.hasPrefix("reverse:") {
            guard let equals = argument.firstIndex(of: "="),
                let server = ServerAddress(
                    url: String(argument[argument.index(after: equals)...]))
            else { return nil }
            place = argument[..<equals].dropFirst("reverse:".count)
            kind = .reverse(server)
        } else if argument.hasPrefix("socks5://") {
            place = argument.dropFirst("socks5://".count)
            guard let end = place.lastIndex(of: "@") else {
                guard let address = ListenAddress(argument: String(place)) else { return nil }
                (self.kind, host, port) = (.socks(nil), address.host, address.port)
                return
            }
            let parts = place[..<end].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false
            ).map { String($0).removingPercentEncoding ?? String($0) }
            guard parts.count == 2, parts.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
                return nil
            }
            place = place[place.index(after: end)...]
            kind = .socks(SOCKSCredentials(user: parts[0], password: parts[1]))
        } else if argument.hasPrefix("transparent:") {
            place = argument.dropFirst("transparent:".count)
            kind = .transparent
        } else if argument.hasPrefix("tproxy:") {
            place = argument.dropFirst("tproxy:".count)
            kind = .tproxy
        } else if argument.hasPrefix("http://") {
            place = argument.dropFirst("http://".count)
            kind = .http
        } else {
            kind = .usual
        }
        guard let address = ListenAddress(argument: String(place)) else { return nil }
        (self.kind, host, port) = (kind, address.host, address.port)
    }

    /// The address alone.
    var address: ListenAddress { ListenAddress(host: host, port: port) }
}

extension CommandWords {
    /// The words of a command line without the passwords in them.
    static func withoutPasswords(_ arguments: some Sequence<String>) -> String {
        arguments.map { $0.replacing(#/(:\/\/[^:\/@\s]*):[^\s\/]*@/#) { "\($0.output.1):…@" } }
            .joined(separator: " ")
    }
}
