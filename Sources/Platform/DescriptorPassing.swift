/// Open files handed from one process to another over a Unix-domain socket.
package enum DescriptorPassing {
    /// A message with descriptors could not be passed.
    package struct Failure: Error {
        /// The system's error number; 0 where the other end has closed.
        package let code: Int32
    }

    /// Header of a control message: its length, and `SOL_SOCKET` with `SCM_RIGHTS`.
    private static let headerSize = MemoryLayout<cmsghdr>.size

    /// Sends bytes, at least one, and descriptors, which stay open here.
    ///
    /// - Parameters:
    ///   - bytes: What the message says.
    ///   - descriptors: The open files.
    ///   - socket: A Unix-domain socket.
    /// - Throws: ``Failure``.
    package static func send(
        _ bytes: [UInt8], _ descriptors: [Int32], over socket: Int32
    ) throws(Failure) {
        var control = [UInt8](repeating: 0, count: space(descriptors.count))
        control.withUnsafeMutableBytes { raw in
            guard !descriptors.isEmpty, let base = raw.baseAddress else { return }
            let header = base.bindMemory(to: cmsghdr.self, capacity: 1)
            header.pointee.cmsg_len = .init(headerSize + descriptors.count * 4)
            header.pointee.cmsg_level = SOL_SOCKET
            header.pointee.cmsg_type = rights
            for (index, descriptor) in descriptors.enumerated() {
                raw.storeBytes(
                    of: descriptor, toByteOffset: headerSize + index * 4, as: Int32.self)
            }
        }
        var bytes = bytes
        let sent = message(&bytes, &control, hasControl: !descriptors.isEmpty) {
            sendmsg(socket, &$0, flags)
        }
        guard sent > 0 else { throw Failure(code: errno) }
    }

    /// Receives what one ``send(_:_:over:)`` sent; blocks until it is there.
    ///
    /// - Parameters:
    ///   - count: Number of descriptors at most.
    ///   - socket: A Unix-domain socket.
    /// - Returns: The bytes, 4,096 at most, and the descriptors, which are closed when another program
    ///   is started.
    /// - Throws: ``Failure``.
    package static func receive(
        _ count: Int, from socket: Int32
    ) throws(Failure) -> (bytes: [UInt8], descriptors: [Int32]) {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var control = [UInt8](repeating: 0, count: space(count))
        var length = 0
        let received = message(&bytes, &control, hasControl: true) { header in
            let result = recvmsg(socket, &header, 0)
            length = Int(header.msg_controllen)
            return result
        }
        guard received > 0 else { throw Failure(code: received == 0 ? 0 : errno) }
        var descriptors: [Int32] = []
        control.withUnsafeBytes { raw in
            guard length >= headerSize, let base = raw.baseAddress else { return }
            let header = base.bindMemory(to: cmsghdr.self, capacity: 1).pointee
            guard header.cmsg_level == SOL_SOCKET, header.cmsg_type == rights else { return }
            for place in stride(from: headerSize, to: Int(header.cmsg_len), by: 4) {
                descriptors.append(raw.load(fromByteOffset: place, as: Int32.self))
            }
        }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (Array(bytes[..<received]), descriptors)
    }

    /// Room for a control message, aligned as its header.
    private static func space(_ count: Int) -> Int {
        let unit = MemoryLayout<Int>.size
        return headerSize + (count * 4 + unit - 1) / unit * unit
    }

    private static func message(
        _ bytes: inout [UInt8], _ control: inout [UInt8], hasControl: Bool,
        _ body: (inout msghdr) -> Int
    ) -> Int {
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    if hasControl {
                        header.msg_control = control.baseAddress
                        header.msg_controllen = .init(control.count)
                    }
                    var result: Int
                    repeat { result = body(&header) } while result == -1 && errno == EINTR
                    return result
                }
            }
        }
    }

    /// `SCM_RIGHTS`, which not every C library has as a number that is imported.
    private static let rights: Int32 = 1
    #if os(Linux)
    /// `MSG_NOSIGNAL`.
    private static let flags: Int32 = 0x4000
    #else
    private static let flags: Int32 = 0
    #endif
}
