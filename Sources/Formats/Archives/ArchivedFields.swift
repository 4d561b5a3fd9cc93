internal import Foundation
internal import Framing

/// The field lines of a made-up message, and how its body is framed.
///
/// Fields stay as archived, in their order. Changed is only what would not fit the bytes: the
/// length, codings that were decoded, fields of HTTP/2, and what is invalid in a line.
struct ArchivedFields {
    /// How the end of the body is found.
    enum Framing {
        /// There is no body.
        case none
        /// `Content-Length`, or the end of the connection.
        case plain
        /// One chunk and the last one.
        case chunked
    }

    /// Which message it is.
    enum Role {
        case request
        /// A response that may have a body.
        case response
        /// A response to HEAD, or 304: it states what a body would be.
        case bodiless
        /// 204, 101 and other 1xx: it may not even state that.
        case empty
    }

    /// The fields.
    private(set) var fields: [ArchivedExchange.Field] = []
    /// How the body is framed.
    private(set) var framing = Framing.plain
    /// What was changed, as text, apart from the length.
    private(set) var changes: [String] = []

    private let body: Int64
    private let role: Role

    /// The fields of `message`.
    init(_ message: ArchivedExchange.Message, as role: Role) {
        self.role = role
        let hasBody = role == .request || role == .response
        body = hasBody ? Int64(message.body.count) + message.missing : 0
        take(message.fields)
        settleLength(message)
        settleCoding(message)
    }

    /// Whether there is a field called `name`, in lower case.
    func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }

    /// The values of the fields called `name`, in lower case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Makes `name: value` the only field of that name, where the first one was or at the end.
    mutating func set(_ name: String, _ value: String) {
        let first = fields.firstIndex { $0.name.lowercased() == name.lowercased() }
        let kept = first.map { fields[$0].name } ?? name
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        fields.insert(ArchivedExchange.Field(kept, value), at: first ?? fields.count)
    }

    /// Puts `Host` first, where there is none.
    mutating func setHost(_ host: String) {
        if !has("host") { fields.insert(ArchivedExchange.Field("Host", host), at: 0) }
    }

    /// Notes that something was changed.
    mutating func say(_ change: String) { changes.append(change) }

    /// The lines, with the empty one after them.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes += Array("\(field.name): \(field.value)\r\n".utf8)
        }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: What is archived

    private mutating func take(_ archived: [ArchivedExchange.Field]) {
        for field in archived where !field.name.hasPrefix(":") {
            guard Self.isToken(field.name) else {
                say("a field with an invalid name was left out: \(field.name.debugDescription)")
                continue
            }
            // Chrome joins fields of one name with line breaks.
            for line in field.value.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            {
                if line.isEmpty, !field.value.isEmpty { continue }
                fields.append(ArchivedExchange.Field(field.name, Self.printable(line)))
            }
        }
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D,
                    0x2E, 0x5E...0x60, 0x7C, 0x7E:
                    true
                default: false
                }
            }
    }

    private static func printable(_ line: Substring) -> String {
        let hasControls = line.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
        guard hasControls else { return String(line) }
        let bytes = line.utf8.map { $0 == 0 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Framing

    private mutating func settleLength(_ message: ArchivedExchange.Message) {
        switch role {
        case .bodiless:
            framing = .none
            return
        case .empty:
            framing = .none
            remove("content-length")
            remove("transfer-encoding")
            return
        case .request, .response: break
        }
        let codings = values("transfer-encoding")
        if codings.count == 1, codings[0].lowercased() == "chunked", message.missing == 0 {
            framing = .chunked
            remove("content-length")
            return
        }
        if !codings.isEmpty {
            remove("transfer-encoding")
            if message.missing == 0 {
                say("Transfer-Encoding \(codings.joined(separator: ", ")) was left out")
            }
        }
        if has("content-length") || message.missing > 0 || (role == .request && body > 0) {
            set("Content-Length", String(body))
        }
    }

    private mutating func settleCoding(_ message: ArchivedExchange.Message) {
        let codings = values("content-encoding")
        guard message.isDecoded, body > 0, !message.body.isEmpty, !codings.isEmpty else { return }
        remove("content-encoding")
        say(
            "Content-Encoding \(codings.joined(separator: ", ")) was left out: the archive has "
                + "the decoded body")
    }

    private mutating func remove(_ name: String) {
        fields.removeAll { $0.name.lowercased() == name }
    }
}
