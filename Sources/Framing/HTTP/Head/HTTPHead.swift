/// Start line and fields of a message, as sent.
///
/// Holds the bytes once with the places of everything in them; text is made on demand.
public struct HTTPHead: Hashable, Sendable {
    /// Offset in bytes of the first byte in its direction.
    public let start: Int64
    /// All but the place: heads that came again have it in common, see ``HTTPKnownHeads``.
    @usableFromInline let parts: HTTPHeadParts

    init(_ parts: HTTPHeadParts, start: Int64) {
        self.parts = parts
        self.start = start
    }

    /// Which kind of message it begins.
    @inlinable public var role: HTTPRole { parts.role }

    /// The bytes as sent, up to and with the empty line.
    @inlinable public var bytes: [UInt8] { parts.bytes }

    /// The field lines in order.
    @inlinable public var fields: [HTTPField] { parts.fields }

    /// The status of a response, in 0...999; nil in a request.
    @inlinable public var status: Int? { parts.status }

    private var line: HTTPStartLine { parts.line }

    /// What is the same for the same head that was recognized when it came again, and not for others
    /// as long as this head is kept.
    @inlinable package var identity: ObjectIdentifier { ObjectIdentifier(parts) }
}

/// What a head is, wherever it stands.
@usableFromInline final class HTTPHeadParts: Hashable, Sendable {
    @usableFromInline let role: HTTPRole
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let fields: [HTTPField]
    /// Of a response.
    @usableFromInline let status: Int?
    let line: HTTPStartLine

    init(role: HTTPRole, bytes: [UInt8], line: HTTPStartLine, fields: [HTTPField]) {
        self.role = role
        self.bytes = bytes
        self.line = line
        self.fields = fields
        status =
            role == .response
            ? bytes[line.second].reduce(0) { $0 * 10 + Int($1 &- 0x30) } : nil
    }

    /// Whether it is of a response that another one follows.
    var isInterim: Bool {
        guard let status else { return false }
        return (100..<200).contains(status) && status != 101
    }

    @usableFromInline static func == (one: HTTPHeadParts, other: HTTPHeadParts) -> Bool {
        one === other
            || one.role == other.role && one.bytes == other.bytes && one.line == other.line
                && one.fields == other.fields
    }

    @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HTTPHead {
    /// The method of a request; empty in a response.
    public var methodRange: Range<Int> { role == .request ? line.first : 0..<0 }

    /// The target of a request; empty in a response.
    public var targetRange: Range<Int> { role == .request ? line.second : 0..<0 }

    /// The version; empty where a request has none.
    public var versionRange: Range<Int> { role == .request ? line.third : line.first }

    /// The three digits of a response; empty in a request.
    public var statusRange: Range<Int> { role == .response ? line.second : 0..<0 }

    /// The reason phrase of a response, which may be empty; empty in a request.
    public var reasonRange: Range<Int> { role == .response ? line.third : 0..<0 }

    /// The method of a request, as sent.
    public var method: String { text(methodRange) }

    /// The target of a request, as sent.
    public var target: String { text(targetRange) }

    /// The version, as sent; empty where a request has none.
    public var version: String { text(versionRange) }

    /// The reason phrase of a response, as sent.
    public var reason: String { text(reasonRange) }

    /// The bytes in `range` as text.
    ///
    /// UTF-8, or Latin-1 where the bytes are not UTF-8; line breaks of folded lines become spaces
    /// (RFC 9112, 5.2).
    public func text(_ range: Range<Int>) -> String {
        let piece = bytes.span.extracting(range)
        let all = 0..<piece.count
        let isOneLine =
            piece.firstIndex(of: 0x0A, in: all) == piece.count
            && piece.firstIndex(of: 0x0D, in: all) == piece.count
        if isOneLine, let text = try? UTF8Span(validating: piece) { return String(copying: text) }
        return bytes.span.copied(range).map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }.lossyText
    }

    /// Whether the bytes in `range` are those of `text`; allocates nothing.
    public func isText(_ text: String, in range: Range<Int>) -> Bool {
        bytes.span.isEqual(range, to: text)
    }

    /// Whether the bytes in `range` are those of `text`, without regard to the case of ASCII letters;
    /// allocates nothing.
    public func isText(_ text: String, ignoringCaseIn range: Range<Int>) -> Bool {
        bytes.span.isEqual(range, ignoringCaseOf: text)
    }

    /// The first field called `name`, without regard to the case of ASCII letters.
    ///
    /// Allocates nothing.
    public func first(_ name: String) -> HTTPField? {
        let span = bytes.span
        let name = name.utf8.span
        for field in fields where span.isEqual(field.name, ignoringCaseOf: name) { return field }
        return nil
    }

    /// All fields called `name`, in order, without regard to the case of ASCII letters.
    public func all(_ name: String) -> [HTTPField] {
        let span = bytes.span
        let name = name.utf8.span
        var found: [HTTPField] = []
        for field in fields where span.isEqual(field.name, ignoringCaseOf: name) {
            found.append(field)
        }
        return found
    }

    /// The values of all fields called `name`, in order, as text.
    public func values(of name: String) -> [String] { all(name).map { text($0.value) } }

    /// The value of the first field called `name`, as text.
    public func value(of name: String) -> String? { first(name).map { text($0.value) } }

    /// Whether a comma-separated list called `name` has the element `token`.
    ///
    /// For `Connection`, `Upgrade` and the like: parameters after a semicolon are not inspected,
    /// letters compare without regard to case.
    public func contains(token: String, in name: String) -> Bool {
        let span = bytes.span
        let name = name.utf8.span
        let token = token.utf8.span
        for field in fields where span.isEqual(field.name, ignoringCaseOf: name) {
            var elements = HTTPListElements(field.value)
            while let element = elements.next(in: span) {
                if span.isEqual(element.token, ignoringCaseOf: token) { return true }
            }
        }
        return false
    }
}
