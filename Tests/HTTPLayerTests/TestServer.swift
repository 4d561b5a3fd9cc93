import Platform
import Synchronization

/// One request as the test's server received it.
struct TestRequest: Sendable {
    let connection: Int
    let method: String
    let target: String
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What the test's server does with a request.
enum TestAnswer: Sendable {
    case send([UInt8])
    case close
    /// Nothing until the test says what.
    case hold

    static func status(
        _ status: Int, _ fields: [String] = [], body: [UInt8] = []
    ) -> TestAnswer {
        let head =
            (["HTTP/1.1 \(status) Word", "Content-Length: \(body.count)"] + fields)
            .joined(separator: "\r\n")
        return .send(Array(head.utf8) + Array("\r\n\r\n".utf8) + body)
    }

    static func ok(_ text: String = "") -> TestAnswer { .status(200, body: Array(text.utf8)) }
}

/// A small HTTP/1.1 server on plain sockets with one thread.
final class TestServer: Sendable {
    private struct State {
        var requests: [TestRequest] = []
        var connections = 0
        var held: [Int32] = []
        var released: [(Int32, TestAnswer)] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let wakeRead: Int32
    private let wakeWrite: Int32
    private let state = Mutex(State())

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [TestRequest] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    init(_ answer: @escaping @Sendable (TestRequest, _ number: Int) -> TestAnswer) {
        (listener, port) = TestServer.listen()
        var pipes: [Int32] = [0, 0]
        pipe(&pipes)
        (wakeRead, wakeWrite) = (pipes[0], pipes[1])
        let start = Start(answer, self)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                start.server.run(start.answer)
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        pthread_detach(thread)
    }

    /// A port that nobody listens on.
    static func deadPort() -> UInt16 {
        let (descriptor, port) = listen()
        close(descriptor)
        return port
    }

    /// Returns once so many requests have come.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Answers everything held so far.
    func release(_ answer: TestAnswer = .ok()) {
        state.withLock { state in
            state.released += state.held.map { ($0, answer) }
            state.held = []
        }
        wake()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    private final class Start {
        let answer: @Sendable (TestRequest, Int) -> TestAnswer
        let server: TestServer

        init(
            _ answer: @escaping @Sendable (TestRequest, Int) -> TestAnswer, _ server: TestServer
        ) {
            self.answer = answer
            self.server = server
        }
    }

    private static func listen() -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        _ = Platform.listen(descriptor, 512)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func wake() {
        var byte: UInt8 = 1
        write(wakeWrite, &byte, 1)
    }

    private func run(_ answer: (TestRequest, Int) -> TestAnswer) {
        var clients: [Int32: (number: Int, bytes: [UInt8])] = [:]
        func drop(_ descriptor: Int32) {
            close(descriptor)
            clients[descriptor] = nil
            state.withLock { $0.held.removeAll { $0 == descriptor } }
        }
        func carryOut(_ answer: TestAnswer, _ descriptor: Int32) {
            switch answer {
            case .send(let bytes): TestServer.sendAll(bytes, descriptor)
            case .close: drop(descriptor)
            case .hold: state.withLock { $0.held.append(descriptor) }
            }
        }
        while true {
            var polled = [listener, wakeRead].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            polled += clients.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), -1)
            for entry in polled where entry.revents != 0 {
                if entry.fd == listener {
                    let descriptor = accept(listener, nil, nil)
                    let number = state.withLock { state in
                        state.connections += 1
                        return state.connections
                    }
                    clients[descriptor] = (number, [])
                } else if entry.fd == wakeRead {
                    var byte: UInt8 = 0
                    read(wakeRead, &byte, 1)
                    let (released, isStopped) = state.withLock { state in
                        defer { state.released = [] }
                        return (state.released, state.isStopped)
                    }
                    for (descriptor, answer) in released { carryOut(answer, descriptor) }
                    if isStopped {
                        for descriptor in clients.keys { close(descriptor) }
                        for descriptor in [listener, wakeRead, wakeWrite] { close(descriptor) }
                        return
                    }
                } else {
                    var block = [UInt8](repeating: 0, count: 65_536)
                    let count = read(entry.fd, &block, block.count)
                    guard count > 0, var client = clients[entry.fd] else {
                        drop(entry.fd)
                        continue
                    }
                    client.bytes += block.prefix(count)
                    let request = TestServer.takeRequest(&client.bytes, client.number)
                    clients[entry.fd] = client
                    guard let request else { continue }
                    let number = state.withLock { $0.requests.count + 1 }
                    let answer = answer(request, number)
                    if case .hold = answer { carryOut(answer, entry.fd) }
                    let due = state.withLock { state in
                        state.requests.append(request)
                        let count = state.requests.count
                        defer { state.waiters.removeAll { $0.count <= count } }
                        return state.waiters.filter { $0.count <= count }
                    }
                    for waiter in due { waiter.continuation.resume() }
                    if case .hold = answer { continue }
                    carryOut(answer, entry.fd)
                }
            }
        }
    }

    private static func sendAll(_ bytes: [UInt8], _ descriptor: Int32) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            offset += count
        }
    }

    /// The first whole request, taken from the start of `bytes`.
    private static func takeRequest(_ bytes: inout [UInt8], _ connection: Int) -> TestRequest? {
        guard let end = find("\r\n\r\n", in: bytes[...]) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
        func value(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name }?.value
        }
        var rest = bytes[(end + 4)...]
        var body: [UInt8] = []
        if value("transfer-encoding") == "chunked" {
            while true {
                guard let lineEnd = find("\r\n", in: rest) else { return nil }
                let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16) ?? 0
                guard rest.endIndex - lineEnd >= size + 4 else { return nil }
                body += rest[(lineEnd + 2)..<(lineEnd + 2 + size)]
                rest = rest[(lineEnd + 4 + size)...]
                if size == 0 { break }
            }
        } else if let length = value("content-length").flatMap({ Int($0) }) {
            guard rest.count >= length else { return nil }
            body = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        bytes = Array(rest)
        return TestRequest(
            connection: connection, method: String(words[0]), target: String(words[1]),
            fields: fields, body: body)
    }

    private static func find(_ text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - wanted.count)).first {
            bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }
}
