internal import Capturing
internal import Platform

/// Addresses for ends of connections of which a trace has names or nothing.
enum SynthesizedAddress {
    /// An address for the host `name`: in 198.18.0.0/15, which no host on the Internet has (RFC 2544).
    ///
    /// The same name has the same address everywhere; two names may share one.
    static func server(_ name: String) -> IPAddress {
        // FNV-1a, folded to the 17 bits that are free.
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.lowercased().utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return IPAddress(version4: 0xC612_0000 | (hash ^ hash >> 17) & 0x1_FFFF)
    }

    /// An end for the proxy as the client of connection `number`, beside that of ``client(_:)``.
    static func proxy(_ number: Int64) -> Endpoint { client(number ^ 1 << 31) }

    /// An end for the client of connection `number`, in 10.0.0.0/8 (RFC 1918).
    static func client(_ number: Int64) -> Endpoint {
        let bits = UInt32(truncatingIfNeeded: number)
        return Endpoint(
            IPAddress(version4: 0x0A00_0000 | (bits >> 14) & 0xFF_FFFF),
            49_152 + UInt16(bits & 0x3FFF))
    }
}

extension IPAddress {
    /// The address that `text` is, without brackets; a zone such as `%eth0` is left out.
    init?(_ text: some StringProtocol) {
        let plain = String(text.prefix { $0 != "%" })
        var four = in_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            self.init(version4: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, plain, &six) == 1 else { return nil }
        let halves = withUnsafeBytes(of: six) { raw in
            [0, 8].map { UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
        }
        // An IPv4-mapped IPv6 address, as reported by a dual-stack socket (RFC 4291, 2.5.5.2).
        if halves[0] == 0, halves[1] >> 32 == 0xFFFF {
            self.init(version4: UInt32(truncatingIfNeeded: halves[1]))
        } else {
            self.init(version6: halves[0], halves[1])
        }
    }
}

extension Endpoint {
    /// The end that `text` names, `ADDRESS:PORT`; nil where it has a host name instead, or nothing.
    init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        guard let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host) else {
            return nil
        }
        self.init(address, port)
    }
}
