import Platform
import Testing

@testable import HTTPLayer

extension HTTPManagerTests {
    /// Proves: H-14.
    @Test func `sends immediate requests first`() async throws {
        let server = TestServer { request, _ in request.target == "/0" ? .hold : .ok() }
        defer { server.stop() }
        let manager = Self.manager(width: 1)
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        func add(_ name: String, _ priority: Request.Priority) throws {
            var request = try Self.get(server.url + "/" + name)
            request.priority = priority
            request.requestTag = name
            manager.add(request) { tell.yield($0) }
        }
        try add("0", .normal)
        await server.received(1)
        for name in ["n1", "n2"] { try add(name, .normal) }
        for name in ["i1", "i2"] { try add(name, .immediate) }
        await Self.settle(manager)
        server.release()
        var tags: [String?] = []
        for await response in done {
            tags.append(response.requestTag)
            if tags.count == 5 { break }
        }
        #expect(tags == ["0", "i1", "i2", "n1", "n2"])
        #expect(server.requests.map(\.target) == ["/0", "/i1", "/i2", "/n1", "/n2"])
    }

    @Test func `pauses in the background and goes on in the foreground`() async throws {
        let server = TestServer { _, number in number == 1 ? .hold : .ok() }
        defer { server.stop() }
        let manager = Self.manager(width: 10)
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        var next = done.makeAsyncIterator()
        manager.add(try Self.get(server.url + "/1")) { tell.yield($0) }
        await server.received(1)
        manager.lifecycle = .background
        #expect(manager.lifecycle == .background)
        manager.add(try Self.get(server.url + "/2")) { tell.yield($0) }
        await Self.settle(manager)
        server.release()
        #expect(await next.next()?.metadata?.finalURL == server.url + "/1")
        #expect(server.requests.count == 1)
        manager.lifecycle = .foreground
        #expect(await next.next()?.metadata?.finalURL == server.url + "/2")
        manager.lifecycle = .background
        manager.isBackgroundTaskEnabled = true
        #expect(await manager.response(to: try Self.get(server.url + "/3")).isSuccess)
    }

    @Test func `hears of the background before its first request`() async throws {
        let server = TestServer { _, _ in .ok() }
        defer { server.stop() }
        let manager = Self.manager()
        manager.lifecycle = .background
        manager.isBackgroundTaskEnabled = true
        manager.isBackgroundTaskEnabled = false
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        let handle = manager.add(try Self.get(server.url)) { tell.yield($0) }
        manager.cancel(handle)
        var next = done.makeAsyncIterator()
        let response = await next.next()
        #expect(response?.error == .cancelled)
        #expect(response?.attempts == 0)
        #expect(server.requests.isEmpty)
    }

    @Test func `300 at once take one thread and as many connections as the width`() async throws {
        let server = TestServer { _, number in number <= 100 ? .hold : .ok("x") }
        defer { server.stop() }
        let manager = Self.manager(width: 100)
        let before = Self.threads()
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        for number in 0..<300 {
            var request = try Self.post(server.url, "\(number)")
            request.requestTag = "\(number)"
            manager.add(request) { tell.yield($0) }
        }
        await server.received(100)
        #expect(Self.threads() <= before + 8)
        #expect(server.requests.count == 100)
        server.release(.ok("x"))
        var tags: Set<String?> = []
        for await response in done {
            #expect(response.isSuccess)
            #expect(tags.insert(response.requestTag).inserted)
            if tags.count == 300 { break }
        }
        #expect(server.requests.count == 300)
        #expect(server.connections <= 100)
    }

    static func threads() -> Int {
        guard let directory = opendir("/proc/self/task") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    @Test func `cancels what runs and what is queued`() async throws {
        let server = TestServer { _, number in number == 1 ? .hold : .ok() }
        defer { server.stop() }
        let manager = Self.manager(width: 1)
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        var next = done.makeAsyncIterator()
        let running = manager.add(try Self.get(server.url, retryCount: 3)) { tell.yield($0) }
        let queued = manager.add(try Self.get(server.url)) { tell.yield($0) }
        await server.received(1)
        manager.cancel(queued)
        let second = await next.next()
        #expect(second?.error == .cancelled)
        #expect(second?.attempts == 0)
        manager.cancel(running)
        manager.cancel(running)
        let first = await next.next()
        #expect(first?.error == .cancelled)
        #expect(first?.attempts == 1)
        #expect(await manager.response(to: try Self.get(server.url)).isSuccess)
        #expect(server.requests.count == 2)
    }

    @Test func `is cancelled with its task, before and while it runs`() async throws {
        let server = TestServer { _, _ in .hold }
        defer { server.stop() }
        let manager = Self.manager()
        let request = try Self.get(server.url)
        let running = Task { await manager.response(to: request) }
        await server.received(1)
        running.cancel()
        #expect(await running.value.error == .cancelled)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await manager.response(to: request)
        }
        #expect(await early.value.error == .cancelled)
    }

    @Test func `what is left is cancelled when the manager goes`() async throws {
        let server = TestServer { _, _ in .hold }
        defer { server.stop() }
        let (done, tell) = AsyncStream.makeStream(of: Response.self)
        var manager: HTTPManager? = Self.manager(width: 1)
        for _ in 0..<2 { manager?.add(try Self.get(server.url)) { tell.yield($0) } }
        await server.received(1)
        manager = nil
        var errors: [HTTPError?] = []
        for await response in done {
            errors.append(response.error)
            if errors.count == 2 { break }
        }
        #expect(errors == [.cancelled, .cancelled])
    }
}
