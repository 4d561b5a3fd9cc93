import Faults
import Foundation
import Testing
import Wire

@testable import Control

@Suite struct AccessTests {
    private func loopback(_ desk: Desk, host: String = "127.0.0.1") -> ControlConfiguration {
        var configuration = desk.configuration()
        configuration.unixPath = nil
        configuration.loopback = ControlConfiguration.Loopback(host: host, port: 0)
        return configuration
    }

    @Test func `wants token, host and origin on loopback`() async throws {
        let desk = try Desk()
        try await desk.run(loopback(desk)) { _, server in
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
            let same = bearer.merging(["Origin": "http://localhost:\(port)"]) { $1 }
            #expect(try await status(same) == 200)
            let refused = try await client.ask("GET", "/v1/nothing", nil, ["Host": address])
            #expect(refused.status == 401)
            #expect(refused.fields["www-authenticate"] == "Bearer")
        }
    }

    @Test func `closes connections that say nothing, and lets others wait for them`() async throws {
        let desk = try Desk()
        var configuration = desk.configuration()
        configuration.mostConnections = 2
        configuration.idleMilliseconds = 50
        try await desk.run(configuration) { client, _ in
            let silent = try client.linger()
            let slow = try client.linger(Array("GET /v1/rules HTTP/1.1\r\nHost:".utf8))
            // It comes to its turn when one of them is closed.
            #expect(try await client.ask("GET", "/v1/rules").status == 200)
            await silent.ended()
            await slow.ended()
        }
    }

    @Test(arguments: ["0.0.0.0", "192.168.1.1", "::", "example.org", "127.0.0.1.example.org", ""])
    func `listens on loopback alone`(host: String) async throws {
        let desk = try Desk()
        await #expect {
            _ = try await ControlServer.start(loopback(desk, host: host))
        } throws: { ($0 as? ControlError)?.code == .notLoopback }
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LocalHost"])
    func `knows loopback`(host: String) { #expect(LoopbackName.isLoopback(host)) }

    @Test func `makes a socket for its owner alone, and takes it away`() async throws {
        let desk = try Desk()
        try await desk.run { client, server in
            #expect(server.unixPath == desk.socket)
            let attributes = try FileManager.default.attributesOfItem(atPath: desk.socket)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await client.ask("GET", "/v1/health").status == 200)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: desk.folder.path) == [])
    }

    @Test func `refuses a path where another one listens, or where no socket is`() async throws {
        let desk = try Desk()
        try await desk.run { client, _ in
            await #expect {
                _ = try await ControlServer.start(desk.configuration())
            } throws: { ($0 as? ControlError)?.code == .inUse }
            let health = try await client.ask("GET", "/v1/health")
            #expect(health.status == 200)
        }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: desk.socket))
        await #expect {
            _ = try await ControlServer.start(desk.configuration())
        } throws: { ($0 as? ControlError)?.code == .badAddress }
        #expect(FileManager.default.contents(atPath: desk.socket) == Data("mine".utf8))
    }

    @Test func `replaces the socket of a dead process, and leaves that of a later one`()
        async throws
    {
        let desk = try Desk()
        let kept = desk.folder.appendingPathComponent("kept").path
        try await desk.run { _, _ in
            // A second name keeps the socket when the first goes, as a killed process leaves it.
            #expect(link(desk.socket, kept) == 0)
        }
        #expect(rename(kept, desk.socket) == 0)
        try await desk.run { client, _ in
            #expect(try await client.ask("GET", "/v1/health").status == 200)
            try FileManager.default.removeItem(atPath: desk.socket)
            try Data("later".utf8).write(to: URL(fileURLWithPath: desk.socket))
        }
        #expect(FileManager.default.contents(atPath: desk.socket) == Data("later".utf8))
    }

    @Test func `says what is wrong with a path`() async throws {
        let desk = try Desk()
        var configuration = desk.configuration()
        configuration.unixPath = desk.folder.appendingPathComponent("none/c").path
        await #expect {
            _ = try await ControlServer.start(configuration)
        } throws: { ($0 as? ControlError)?.reason.contains("No such file") == true }
    }

    @Test func `is reached however deep its folder is`() async throws {
        let desk = try Desk()
        let deep = desk.folder.appendingPathComponent(String(repeating: "d", count: 150))
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        var configuration = desk.configuration()
        configuration.unixPath = deep.appendingPathComponent("c").path
        try await desk.run(configuration) { _, _ in
            #expect(rename(deep.appendingPathComponent("c").path, desk.socket) == 0)
            let client = PlainClient(place: .unix(desk.socket))
            let health = try await client.ask("GET", "/v1/health")
            #expect(health.status == 200)
        }
    }

    @Test func `stops while a connection is idle`() async throws {
        let desk = try Desk()
        let server = try await ControlServer.start(desk.configuration())
        let client = PlainClient(place: .unix(desk.socket))
        async let kept = client.ask("GET", "/v1/health", nil, ["Connection": "keep-alive"])
        while try await client.ask("GET", "/v1/health").status != 200 {}
        await server.stop()
        // Answered or not, by then: it does not stay open.
        _ = try? await kept
        #expect(!FileManager.default.fileExists(atPath: desk.socket))
    }
}
