import Foundation
import Testing

@testable import tapedeck

@Suite struct CommandEnvironmentTests {
    @Test func `leads every runtime through a proxy, to local servers as well`() {
        let environment = CommandEnvironment(proxy: "127.0.0.1:8080")
        let all = environment.variables(over: [
            "NO_PROXY": "localhost", "no_proxy": "*", "HTTP_PROXY": "http://other:1", "HOME": "/h",
            "JAVA_TOOL_OPTIONS": "-Xmx1g",
        ])
        for name in CommandEnvironment.proxies { #expect(all[name] == "http://127.0.0.1:8080") }
        #expect(all["NO_PROXY"] == nil && all["no_proxy"] == nil)
        #expect(all["HOME"] == "/h")
        #expect(all["TAPEDECK_URL"] == nil && all["SSL_CERT_FILE"] == nil)
        #expect(
            all["JAVA_TOOL_OPTIONS"]
                == "-Xmx1g -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=8080 "
                + "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8080 -Dhttp.nonProxyHosts=")
    }

    @Test func `keeps a proxy of the user from what acts as a server`() {
        var environment = CommandEnvironment(server: "[::1]:9")
        environment.more["TAPEDECK_TRACE"] = "/t"
        let all = environment.variables(over: ["http_proxy": "http://other:1", "NO_PROXY": "a.b"])
        #expect(all["TAPEDECK_URL"] == "http://[::1]:9" && all["TAPEDECK_TRACE"] == "/t")
        #expect(all["http_proxy"] == "http://other:1")
        #expect(all["NO_PROXY"] == "a.b,localhost,127.0.0.1,::1")
        #expect(all["no_proxy"] == "localhost,127.0.0.1,::1")
        #expect(all["JAVA_TOOL_OPTIONS"] == nil)
        #expect(environment.variables(over: [:])["NO_PROXY"] == nil)
    }

    @Test func `names all certificates where they replace the system's, and ours where they add`() {
        let trust = CommandEnvironment.Trust(authority: "/x y/a", bundle: "/x y/b", java: "/x y/j")
        let all = CommandEnvironment(trust: trust).variables(over: ["SSL_CERT_FILE": "/theirs"])
        for name in CommandEnvironment.bundles { #expect(all[name] == "/x y/b") }
        for name in CommandEnvironment.additions { #expect(all[name] == "/x y/a") }
        #expect(
            all["JAVA_TOOL_OPTIONS"]
                == "\"-Djavax.net.ssl.trustStore=/x y/j\" -Djavax.net.ssl.trustStoreType=JKS")
    }

    @Test func `names an address that can be connected to`() {
        #expect(CommandEnvironment.reachable("0.0.0.0", 1) == "127.0.0.1:1")
        #expect(CommandEnvironment.reachable("::", 1) == "[::1]:1")
        #expect(CommandEnvironment.reachable("localhost", 1) == "localhost:1")
    }

    @Test func `documents every variable`() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/tapedeck/CommandLine.md"),
            encoding: .utf8)
        let section = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix("With a command\n") })
        var environment = CommandEnvironment(proxy: "a:1", server: "a:1")
        environment.trust = .init(authority: "a", bundle: "b", java: "j")
        for name in environment.variables(over: [:]).keys
        where name == name.lowercased() || !name.lowercased().hasSuffix("_proxy") {
            #expect(section.contains("`\(name)`"), "\(name)")
        }
    }
}
