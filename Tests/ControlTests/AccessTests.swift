import Faults
import Foundation
import Testing
import Wire

@testable import Control

@Suite struct AccessTests {
    private func loopback(
        _ fixture: ControlFixture, host: String = "127.0.0.1"
    ) -> ControlConfiguration {
        var configuration = fixture.configuration()
        configuration.unixPath = nil
        configuration.loopback = ControlConfiguration.Loopback(host: host, port: 0)
        return configuration
    }

    @Test func `wants token, host and origin on loopback`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run(loopback(fixture)) { _, server in
            let address = try #require(server.address)
            let token = try #require(server.token)
            #expect(token.wholeMatch(of: /[0-9a-f]{64}/) != nil)
            let port = try #require(Int(address.dropFirst("127.0.0.1:".count)))
            let client = PlainClient(place: .loopback(port))
            func status(_ fields: [String: String]) async throws -> Int {
                try await client.ask(
                    "GET", "/v1/rules", nil, ["Host": address].merging(fields) { $1 }
                ).status
            }
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try await status(bearer) == 200)
            for host in ["localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)"] {
                #expect(try await status(bearer.merging(["Host": host]) { $1 }) == 200)
            }
            #expect(try await status([:]) == 401)
            #expect(
                try await status([
                    "Authorization": "Bearer \(token.dropLast())\(token.last == "0" ? "1" : "0")"
                ]) == 401)
            #expect(try await status(["Authorization": "Bearer "]) == 401)
            #expect(try await status(["Authorization": token]) == 401)
            for host in ["evil.example:\(port)", "127.0.0.1", "localhost:1", ""] {
                #expect(try await status(bearer.merging(["Host": host]) { $1 }) == 421)
            }
            for origin in ["http://evil.example", "null", "https://localhost:\(port)"] {
                #expect(try await status(bearer.merging(["Origin": origin]) { $1 }) == 403)
            }
            let twice = try await client.raw(
                Array(
                    ("GET /v1/rules HTTP/1.1\r\nHost: \(address)\r\nHost: evil.example\r\n"
                        + "Authorization: Bearer \(token)\r\nConnection: close\r\n\r\n").utf8))
            #expect(twice.status == 421)
            let same = bearer.merging(["Origin": "http://localhost:\(port)"]) { $1 }
            #expect(try await status(same) == 200)
            let long = String(repeating: "x", count: ControlResponder.longestBody + 1)
            let reported = try await client.ask("POST", "/v1/rules", long, ["Host": address])
            #expect(reported.status == 401, "a limit is for those who may ask")
            let refused = try await client.ask("GET", "/v1/nothing", nil, ["Host": address])
            #expect(refused.status == 401)
            #expect(refused.fields["www-authenticate"] == "Bearer")
        }
    }

    @Test func `closes connections that say nothing, and lets others wait for them`() async throws {
        let fixture = try ControlFixture()
        var configuration = fixture.configuration()
        configuration.maximumConnections = 2
        configuration.idleMilliseconds = 250
        try await fixture.run(configuration) { client, _ in
            let silent = try client.linger()
            let slow = try client.linger(Array("GET /v1/rules HTTP/1.1\r\nHost:".utf8))
            // It comes to its turn when one of them is closed.
            #expect(try await client.ask("GET", "/v1/rules").status == 200)
            await silent.ended()
            await slow.ended()
            let head = "POST /v1/rules HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"
            await (try client.linger(Array(head.utf8))).ended()
        }
    }

    @Test(arguments: ["0.0.0.0", "192.168.1.1", "::", "example.org", "127.0.0.1.example.org", ""])
    func `listens on loopback alone`(host: String) async throws {
        let fixture = try ControlFixture()
        await #expect {
            _ = try await ControlServer.start(loopback(fixture, host: host))
        } throws: { ($0 as? ControlError)?.code == .notLoopback }
    }

    @Test func `makes a socket for its owner alone, and takes it away`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, server in
            #expect(server.unixPath == fixture.socket)
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.socket)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await client.ask("GET", "/v1/health").status == 200)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [])
    }

    @Test func `refuses a path where another one listens, or where no socket is`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            await #expect {
                _ = try await ControlServer.start(fixture.configuration())
            } throws: { ($0 as? ControlError)?.code == .inUse }
            let health = try await client.ask("GET", "/v1/health")
            #expect(health.status == 200)
        }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.socket))
        await #expect {
            _ = try await ControlServer.start(fixture.configuration())
        } throws: { ($0 as? ControlError)?.code == .badAddress }
        #expect(FileManager.default.contents(atPath: fixture.socket) == Data("mine".utf8))
    }

    @Test func `replaces the socket of a dead process, and leaves that of a later one`()
        async throws
    {
        let fixture = try ControlFixture()
        let kept = fixture.folder.appendingPathComponent("kept").path
        try await fixture.run { _, _ in
            // A second name keeps the socket when the first goes, as a killed process leaves it.
            #expect(link(fixture.socket, kept) == 0)
        }
        #expect(rename(kept, fixture.socket) == 0)
        try await fixture.run { client, _ in
            #expect(try await client.ask("GET", "/v1/health").status == 200)
            try FileManager.default.removeItem(atPath: fixture.socket)
            try Data("later".utf8).write(to: URL(fileURLWithPath: fixture.socket))
        }
        #expect(FileManager.default.contents(atPath: fixture.socket) == Data("later".utf8))
    }

    @Test func `removes no socket of others to which its descriptor leads by then`() async throws {
        let (fixture, other) = (try ControlFixture(), try ControlFixture())
        var configuration = other.configuration()
        // The name that a socket has while it is made.
        let path = other.folder.appendingPathComponent("socket").path
        configuration.unixPath = path
        try await other.run(configuration) { _, _ in
            let server = try await ControlServer.start(fixture.configuration())
            // One of them has the number of the folder in which that socket was made.
            let descriptors = (0..<100).map { _ in open(other.folder.path, O_RDONLY | O_DIRECTORY) }
            await server.stop()
            for descriptor in descriptors { close(descriptor) }
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `says what is wrong with a path`() async throws {
        let fixture = try ControlFixture()
        var configuration = fixture.configuration()
        configuration.unixPath = fixture.folder.appendingPathComponent("none/c").path
        await #expect {
            _ = try await ControlServer.start(configuration)
        } throws: { ($0 as? ControlError)?.reason.contains("No such file") == true }
    }

    @Test func `is reached however deep its folder is`() async throws {
        let fixture = try ControlFixture()
        let deep = fixture.folder.appendingPathComponent(String(repeating: "d", count: 150))
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        var configuration = fixture.configuration()
        configuration.unixPath = deep.appendingPathComponent("c").path
        try await fixture.run(configuration) { _, _ in
            #expect(rename(deep.appendingPathComponent("c").path, fixture.socket) == 0)
            let client = PlainClient(place: .unix(fixture.socket))
            let health = try await client.ask("GET", "/v1/health")
            #expect(health.status == 200)
        }
    }

    @Test func `answers what was asked before it stopped`() async throws {
        let fixture = try ControlFixture()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        var configuration = fixture.configuration()
        configuration.connections = {
            ask.yield()
            for await _ in released { break }
            return []
        }
        let server = try await ControlServer.start(configuration)
        let client = PlainClient(place: .unix(fixture.socket))
        async let answer = client.ask("GET", "/v1/connections", nil, ["Connection": "keep-alive"])
        for await _ in asked { break }
        async let stopped: Void = server.stop()
        release.yield()
        await stopped
        #expect(try await answer.status == 200)
    }

    @Test func `stops while a connection is idle`() async throws {
        let fixture = try ControlFixture()
        let server = try await ControlServer.start(fixture.configuration())
        let client = PlainClient(place: .unix(fixture.socket))
        async let kept = client.ask("GET", "/v1/health", nil, ["Connection": "keep-alive"])
        while try await client.ask("GET", "/v1/health").status != 200 {}
        await server.stop()
        // Answered or not, by then: it does not stay open.
        _ = try? await kept
        #expect(!FileManager.default.fileExists(atPath: fixture.socket))
    }
}
