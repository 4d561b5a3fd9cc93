import Capturing
import Platform
import Testing

@Suite("An interface is captured where that is allowed")
struct LiveCaptureTests {
    @Test func `the loopback interface is listed`() throws {
        let interfaces = try NetworkInterface.all()
        let loopback = try #require(interfaces.first { $0.name == "lo" })
        #expect(loopback.isLoopback)
        #expect(interfaces.contains { $0.name == "any" })
        if loopback.isUp {
            #expect(loopback.addresses.contains(IPAddress(version4: 0x7F00_0001)))
        }
    }

    @Test func `an interface that is not there`() {
        #expect(throws: CaptureError.self) { try LiveCapture(interface: "nosuch0") }
        do {
            _ = try LiveCapture(interface: "nosuch0")
        } catch {
            #expect([.noInterface, .notPermitted].contains(error.code))
            #expect(error.reason.contains("nosuch0"))
        }
    }

    /// Opens the loopback; nil where this process may not.
    static func open(_ interface: String, _ expression: String) throws -> LiveCapture? {
        do {
            return try LiveCapture(interface: interface, expression: expression)
        } catch {
            guard error.code == .notPermitted else { throw error }
            #expect(error.reason.contains("CAP_NET_RAW"))
            return nil
        }
    }

    @Test func `an expression that is wrong`() throws {
        do {
            #expect(try Self.open("lo", "tcp prot 80") == nil)
        } catch let error as CaptureError {
            #expect(error.code == .badExpression)
            #expect(error.reason.contains("tcp prot 80"))
        }
    }

    @Test(arguments: ["lo", "any"])
    func `what passes before the end is seen`(interface: String) throws {
        // A port of our own: nothing else passes the expression.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        try #require(isListening)
        let port = UInt16(bigEndian: address.sin_port)
        guard let capture = try Self.open(interface, "tcp port \(port)") else { return }

        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, length) == 0
            }
        }
        #expect(isConnected)
        #expect(send(client, "hello", 5, 0) == 5)
        close(client)
        capture.stop.request()

        var segments: [TCPSegment] = []
        while let reading = try capture.next() {
            if case .segment(let segment) = reading { segments.append(segment) }
        }
        let sent = segments.filter { $0.destination.port == port }
        #expect(sent.first?.flags == .syn)
        #expect(sent.contains { $0.payload.elementsEqual("hello".utf8) })
        #expect(capture.counts.addsUp)
        #expect(capture.counts.used == segments.count)
        let statistics = capture.statistics()
        #expect(statistics.received >= Int64(segments.count))
        #expect(statistics.droppedByKernel == 0)
    }

    @Test func `root is given up to who called sudo`() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() == 0 else { return }
            setenv("SUDO_UID", "4242", 1)
            setenv("SUDO_GID", "4243", 1)
            setenv("SUDO_USER", "somebody", 1)
            let detail = try Privileges.drop()
            precondition(detail.contains("somebody") && detail.contains("without capabilities"))
            precondition(getuid() == 4242 && getegid() == 4243 && setuid(0) != 0)
        }
    }

    @Test func `root that nobody is behind stays or becomes nobody`() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() == 0 else { return }
            unsetenv("SUDO_UID")
            let detail = try Privileges.drop()
            precondition(detail.contains("root") && geteuid() == 0)
            let then = try Privileges.drop(toNobody: true)
            precondition(then.contains("nobody") && geteuid() != 0)
        }
    }
}
