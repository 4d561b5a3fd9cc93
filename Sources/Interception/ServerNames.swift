internal import SwiftASN1
internal import X509

/// The names and addresses that a server's certificate is for.
///
/// Those of its subjectAltName alone: a common name does not identify hosts. An address is compared
/// with an address, and never with one that a name resolved to. Source: RFC 9525, 6; RFC 5280,
/// 4.2.1.6.
struct ServerNames {
    /// DNS names as written there.
    private(set) var names: [String] = []
    /// IP addresses, 4 or 16 bytes in network order.
    private(set) var addresses: [[UInt8]] = []

    /// The names in a certificate.
    ///
    /// - Throws: Where its subjectAltName cannot be read.
    init(_ certificate: Certificate) throws {
        for name in try certificate.extensions.subjectAlternativeNames ?? SubjectAlternativeNames()
        {
            switch name {
            case .dnsName(let text): names.append(text)
            case .ipAddress(let octets): addresses.append(Array(octets.bytes))
            default: break
            }
        }
    }

    /// Whether the certificate is for `host`.
    func cover(_ host: HostName) -> Bool {
        switch host {
        case .address(let bytes): addresses.contains(bytes)
        case .name(let name): names.contains { Self.covers($0, name) }
        }
    }

    /// Whether a name of a certificate is that of a host, given in lower case without a dot at its
    /// end.
    ///
    /// An asterisk matches one whole label, the first, and only below a name of two or more.
    static func covers(_ pattern: String, _ host: String) -> Bool {
        var pattern = pattern.lowercased()[...]
        if pattern.last == "." { pattern = pattern.dropLast() }
        guard pattern.utf8.first == UInt8(ascii: "*") else { return pattern == host }
        let rest = pattern.dropFirst()
        guard rest.utf8.first == UInt8(ascii: "."), !rest.utf8.contains(UInt8(ascii: "*")),
            rest.split(separator: ".", omittingEmptySubsequences: false).count >= 3,
            let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")), dot > host.startIndex
        else { return false }
        return host[dot...] == rest
    }

    /// What it is for, as text.
    var text: String {
        let most = 5
        let all = names + addresses.map { HostName.address($0).text }
        guard !all.isEmpty else {
            return "it names no host; a common name does not count"
        }
        let shown = all.prefix(most).map { $0.readable(most: 100) }.joined(separator: ", ")
        return "it names \(shown)" + (all.count > most ? " and \(all.count - most) more" : "")
    }
}

extension String {
    /// The start of a hostile text, fit for a line on a terminal.
    func readable(most: Int) -> String {
        var result = ""
        for scalar in unicodeScalars.prefix(most) { result += scalar.escaped(asASCII: true) }
        return unicodeScalars.count > most ? result + "…" : result
    }
}
