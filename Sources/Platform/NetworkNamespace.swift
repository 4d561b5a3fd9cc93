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
    /// - Parameter isStream: Whether it is one of TCP, which listens, or one of UDP.
    /// - Returns: The descriptor and the port.
    /// - Throws: ``Failure``.
    package static func openSocket(isStream: Bool) throws(Failure) -> (descriptor: Int32, port: Int)
    {
        let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "open a socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        // Answers have to come from the address that packets were redirected to.
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, size) == 0,
                    !isStream || listen(descriptor, 1024) == 0
                else { return errno }
                return getsockname(descriptor, pointer, &size) == 0 ? 0 : errno
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw Failure(step: "listen", code: result)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
#endif
