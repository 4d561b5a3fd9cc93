import Foundation
import Platform

@testable import Fleet

/// A ClickHouse server with data of its own, on free ports of this machine.
final class ClickHouseServer {
    /// Where Debian's package has it.
    static let program = "/usr/sbin/clickhouse-server"
    /// Whether it is installed, as `Tools/setup` does.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// The address of its database `tapes`.
    let address: FleetAddress
    private let process = Process()
    private let home: URL
    private let output: FileHandle

    init() throws {
        home = FileManager.default.temporaryDirectory
            .appendingPathComponent("clickhouse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let ports = try Self.freePorts(3)
        let path = home.path
        let config = """
            <yandex><logger><level>information</level><console>1</console></logger><listen_host>127.0.0.1</listen_host><http_port>\(ports[0])</http_port>
            <tcp_port>\(ports[1])</tcp_port><interserver_http_port>\(ports[2])</interserver_http_port>
            <max_connections>20</max_connections><mark_cache_size>16777216</mark_cache_size>
            <path>\(path)/data/</path><tmp_path>\(path)/scratch/</tmp_path>
            <users_config>users.xml</users_config><default_profile>default</default_profile>
            <default_database>default</default_database><timezone>UTC</timezone></yandex>
            """
        let users = """
            <yandex><profiles><default><max_threads>2</max_threads></default></profiles><users><default>
            <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
            <quota>default</quota></default></users><quotas><default></default></quotas></yandex>
            """
        try config.write(
            to: home.appendingPathComponent("config.xml"), atomically: true, encoding: .utf8)
        try users.write(
            to: home.appendingPathComponent("users.xml"), atomically: true, encoding: .utf8)
        address = try FleetAddress(parsing: "clickhouse://127.0.0.1:\(ports[0])/tapes")
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["--config-file=\(path)/config.xml"]
        process.currentDirectoryURL = home
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // So that the end of the server is the end of what is read.
        try output.fileHandleForWriting.close()
        self.output = output.fileHandleForReading
        try waitUntilReady()
    }

    deinit {
        output.readabilityHandler = nil
        // It inherits the signals that this process has blocked, and its data goes with it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: home)
    }

    /// A client of it.
    func client() throws -> ClickHouse { try ClickHouse(address, password: "") }

    /// Reads its log until that says so; what follows is read as it comes, so that it never waits.
    private func waitUntilReady() throws {
        var log = ""
        while !log.contains("Ready for connections") {
            let some = output.availableData
            guard !some.isEmpty else { throw CocoaError(.executableLoad) }
            log += String(decoding: some, as: UTF8.self)
        }
        output.readabilityHandler = { _ = $0.availableData }
    }

    /// Ports that nobody listens on; the server takes no port 0.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var descriptors: [CInt] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            descriptors.append(descriptor)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isBound else { throw CocoaError(.featureUnsupported) }
            return Int(UInt16(bigEndian: name.sin_port))
        }
    }
}
