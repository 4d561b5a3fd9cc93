internal import CPcap
internal import Platform

/// A place where packets can be captured.
public struct NetworkInterface: Hashable, Sendable {
    /// As ``LiveCapture`` takes it; on Linux `any` is all of them.
    public let name: String
    /// Its description, where the system has one.
    public let summary: String?
    /// Its addresses, in the system's order.
    public let addresses: [IPAddress]
    /// Whether it is turned on.
    public let isUp: Bool
    /// Whether it only carries what this machine sends to itself.
    public let isLoopback: Bool

    /// All interfaces on which this process may try to capture, in the system's order.
    ///
    /// Without the right to capture, the list is the same on Linux; opening one then fails.
    ///
    /// - Throws: ``CaptureError``: `noInterface` where the system cannot list them.
    public static func all() throws(CaptureError) -> [NetworkInterface] {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        var first: UnsafeMutablePointer<pcap_if_t>?
        guard pcap_findalldevs(&first, &message) == 0 else {
            throw CaptureError(
                .noInterface, "cannot list the interfaces: \(LibpcapText.string(message))")
        }
        defer { pcap_freealldevs(first) }
        var interfaces: [NetworkInterface] = []
        var next = first
        while let device = next?.pointee {
            interfaces.append(NetworkInterface(device))
            next = device.next
        }
        return interfaces
    }

    private init(_ device: pcap_if_t) {
        name = device.name.map { String(cString: $0) } ?? ""
        summary = device.description.map { String(cString: $0) }
        isUp = device.flags & UInt32(PCAP_IF_UP) != 0
        isLoopback = device.flags & UInt32(PCAP_IF_LOOPBACK) != 0
        var addresses: [IPAddress] = []
        var next = device.addresses
        while let entry = next?.pointee {
            if let address = IPAddress(entry.addr) { addresses.append(address) }
            next = entry.next
        }
        self.addresses = addresses
    }
}

extension IPAddress {
    /// The address in a socket address; nil in one of another family.
    fileprivate init?(_ socket: UnsafeMutablePointer<sockaddr>?) {
        guard let socket else { return nil }
        let memory = UnsafeRawPointer(socket)
        switch Int32(socket.pointee.sa_family) {
        case AF_INET:
            let address = memory.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(version4: UInt32(bigEndian: address.s_addr))
        case AF_INET6:
            let address = memory.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = withUnsafeBytes(of: address, Array.init)
            self.init(version6: bytes.span.big64(0), bytes.span.big64(8))
        default: return nil
        }
    }
}
