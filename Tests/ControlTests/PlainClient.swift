import Foundation
import Notation
import Wire

/// One request on a socket of its own, as bytes.
struct PlainClient {
    /// Where to connect.
    enum Place {
        case unix(String)
        case loopback(Int)
    }

    struct Answer {
        let status: Int
        let fields: [String: String]
        let body: [UInt8]

        var json: JSONValue {
            get throws { JSONValue(try JSONDocument.scan(body).root) }
        }
    }

    let place: Place

    /// Sends a request with these header fields and reads until the server closes.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var all = ["Host": "localhost", "Connection": "close"]
        if body != nil { all["Content-Type"] = "application/json" }
        all.merge(fields) { $1 }
        if let body { all["Content-Length"] = "\(body.utf8.count)" }
        let head =
            "\(method) \(path) HTTP/1.1\r\n"
            + all.map { "\($0): \($1)\r\n" }.sorted().joined() + "\r\n"
        return try await raw(Array((head + (body ?? "")).utf8))
    }

    /// Sends bytes and reads until the server closes.
    func raw(_ bytes: [UInt8]) async throws -> Answer {
        try await withCheckedThrowingContinuation { done in
            // Reading blocks, which the threads of tasks must not.
            Thread.detachNewThread {
                done.resume(with: Result { try exchange(bytes) })
            }
        }
    }

    /// Connects, sends bytes and says nothing more; what the server says until it closes.
    func linger(_ bytes: [UInt8] = []) throws -> Lingering {
        let socket = try connected()
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0x4000) }
        return Lingering(socket: socket)
    }

    /// A connection on which the client says nothing.
    struct Lingering {
        fileprivate let socket: Int32

        /// Waits until the server closes, and closes it as well.
        func ended() async {
            await withCheckedContinuation { done in
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while read(socket, &buffer, buffer.count) > 0 {}
                    close(socket)
                    done.resume()
                }
            }
        }
    }

    private struct Refused: Error {}

    private func exchange(_ bytes: [UInt8]) throws -> Answer {
        let socket = try connected()
        defer { close(socket) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0x4000) }
            // An answer may come, and the socket be closed, before all was sent.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return try Self.parse(answer)
    }

    private func connected() throws -> Int32 {
        switch place {
        case .unix(let path):
            let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            try Self.connect(socket, address)
            return socket
        case .loopback(let port):
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try Self.connect(socket, address)
            return socket
        }
    }

    private static func connect<T>(_ socket: Int32, _ address: T) throws {
        let result = withUnsafeBytes(of: address) { bytes in
            Glibc.connect(
                socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count))
        }
        guard result == 0 else {
            close(socket)
            throw Refused()
        }
    }

    private static func parse(_ bytes: [UInt8]) throws -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { throw Refused() }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return Answer(
            status: status ?? 0, fields: fields, body: Array(text[end.upperBound...].utf8))
    }
}
