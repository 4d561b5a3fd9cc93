#if os(Linux)
/// What is set up in a network namespace of one's own, where there is nothing but a loopback interface
/// that is down.
package enum NetworkNamespace {
    /// A step that the system did not allow.
    package struct Failure: Error {
        /// What was to be done.
        package let step: String
        /// The system's error number.
        package let code: Int32

        /// A failure of `step`.
        package init(step: String, code: Int32) {
            self.step = step
            self.code = code
        }
    }

    /// Brings the loopback interface up, gives it an address, and sends everything there.
    ///
    /// - Parameter address: The source of connections to other machines, four bytes.
    /// - Throws: ``Failure``.
    package static func routeToLoopback(from address: [UInt8]) throws(Failure) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "open a socket", code: errno) }
        defer { close(descriptor) }
        // struct ifreq (netdevice(7)): a name of 16 bytes, then flags or an address.
        var request = name("lo", size: 40)
        guard ioctl(descriptor, UInt(0x8913), &request) == 0 else {
            throw Failure(step: "read the loopback interface", code: errno)
        }
        request[16] |= 1
        guard ioctl(descriptor, UInt(0x8914), &request) == 0 else {
            throw Failure(step: "bring the loopback interface up", code: errno)
        }
        var second = name("lo:1", size: 40)
        second.replaceSubrange(16..<32, with: internet(address))
        guard ioctl(descriptor, UInt(0x8916), &second) == 0 else {
            throw Failure(step: "give the loopback interface an address", code: errno)
        }
        try addRoute(descriptor)
    }

    /// A default route to the loopback interface: `struct rtentry` (rtnetlink's older sibling), as the
    /// kernel has it on machines with 64 bits.
    private static func addRoute(_ descriptor: Int32) throws(Failure) {
        var entry = [UInt8](repeating: 0, count: 120)
        for place in [8, 24, 40] {
            entry.replaceSubrange(place..<place + 16, with: internet([0, 0, 0, 0]))
        }
        entry[56] = 1
        var device = name("lo", size: 16)
        let code = device.withUnsafeMutableBytes { device -> Int32 in
            let pointer = UInt(bitPattern: device.baseAddress)
            withUnsafeBytes(of: pointer) { entry.replaceSubrange(88..<96, with: $0) }
            return ioctl(descriptor, UInt(0x890B), &entry) == 0 ? 0 : errno
        }
        guard code == 0 else { throw Failure(step: "add a route", code: code) }
    }

    /// Gives the loopback interface an IPv6 address, and sends everything there.
    ///
    /// A route to the loopback interface that has no flag of a local one refuses packets.
    ///
    /// - Parameter address: The source of connections to other machines, sixteen bytes.
    /// - Throws: ``Failure``, also where the system has no IPv6.
    package static func routeIPv6ToLoopback(from address: [UInt8]) throws(Failure) {
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "open a socket of IPv6", code: errno) }
        defer { close(descriptor) }
        var loopback = name("lo", size: 40)
        // SIOCGIFINDEX (netdevice(7)).
        guard ioctl(descriptor, UInt(0x8933), &loopback) == 0 else {
            throw Failure(step: "find the loopback interface", code: errno)
        }
        let index = Array(loopback[16..<20])
        // struct in6_ifreq (linux/ipv6.h): address, length of the prefix, interface.
        var own = address + bytes(128) + index
        guard ioctl(descriptor, UInt(0x8916), &own) == 0 else {
            throw Failure(step: "give the loopback interface an IPv6 address", code: errno)
        }
        // struct in6_rtmsg (linux/ipv6_route.h), in which nothing but these is set: metric, flags
        // (RTF_UP and RTF_LOCAL), interface.
        var route = [UInt8](repeating: 0, count: 80)
        route.replaceSubrange(56..<60, with: bytes(1024))
        route.replaceSubrange(72..<76, with: bytes(0x8000_0001))
        route.replaceSubrange(76..<80, with: index)
        guard ioctl(descriptor, UInt(0x890B), &route) == 0 else {
            throw Failure(step: "add a route of IPv6", code: errno)
        }
    }

    /// A number as the kernel has it in memory.
    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func name(_ text: String, size: Int) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes + [UInt8](repeating: 0, count: size - bytes.count)
    }

    /// `struct sockaddr_in` without a port.
    private static func internet(_ address: [UInt8]) -> [UInt8] {
        [UInt8(AF_INET), 0, 0, 0] + address + [UInt8](repeating: 0, count: 8)
    }

    /// A socket on any port of the loopback address, where redirected packets go.
    ///
    /// - Parameters:
    ///   - isStream: Whether it is one of TCP, which listens, or one of UDP.
    ///   - isIPv6: Whether it is at ::1, or at 127.0.0.1.
    /// - Returns: The descriptor and the port.
    /// - Throws: ``Failure``.
    package static func openSocket(
        isStream: Bool, isIPv6: Bool = false
    ) throws(Failure) -> (descriptor: Int32, port: Int) {
        let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(kind.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "open a socket", code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Answers have to come from the address that packets were redirected to.
        var address = sockaddr_storage()
        let result = withUnsafeMutableBytes(of: &address) { raw -> Int32 in
            let size: Int
            if isIPv6 {
                var place = sockaddr_in6()
                place.sin6_family = sa_family_t(AF_INET6)
                place.sin6_addr = in6addr_loopback
                size = MemoryLayout<sockaddr_in6>.size
                raw.storeBytes(of: place, as: sockaddr_in6.self)
            } else {
                var place = sockaddr_in()
                place.sin_family = sa_family_t(AF_INET)
                place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                size = MemoryLayout<sockaddr_in>.size
                raw.storeBytes(of: place, as: sockaddr_in.self)
            }
            var length = socklen_t(size)
            let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard bind(descriptor, pointer, length) == 0,
                !isStream || listen(descriptor, 1024) == 0,
                getsockname(descriptor, pointer, &length) == 0
            else { return errno }
            return 0
        }
        guard result == 0 else {
            close(descriptor)
            throw Failure(step: "listen", code: result)
        }
        // The port is at the same place in both.
        let port = withUnsafeBytes(of: address) { raw in
            UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
        return (descriptor, Int(port))
    }
}
#endif
