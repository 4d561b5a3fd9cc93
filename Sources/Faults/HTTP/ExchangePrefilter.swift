import Dissection
import Filters
import Framing
import Wire

/// What is known of an exchange from the bytes of its heads, each part computed on first use.
///
/// Where it has the value of a field, that is the value in ``LiveExchange/row(_:)``.
struct ExchangePrefilter {
    /// The positions of the parts of a target in the head.
    private struct Places {
        var path: Range<Int>
        var query: Range<Int>?
        /// The host, in a target that is a URL.
        var host: Range<Int>?
        var scheme: Range<Int>?
    }

    private enum Found<Value> {
        case unasked
        /// It is unknown without reading the head as a whole.
        case unclear
        case known(Value)
    }

    private var places = Found<Places>.unasked
    private var host = Found<Range<Int>>.unasked
    private var api: String?

    /// Whether it can evaluate a field.
    static func shows(_ field: Field) -> Bool {
        switch field {
        case .id, .session, .connection, .api, .method, .scheme, .host, .port, .path, .query,
            .version, .device, .requestSize, .responseSize, .header, .requestHeader, .status,
            .responseHeader, .retryAfter:
            true
        default: false
        }
    }

    /// Whether the head of a request shows what a field will be to the end of the exchange.
    static func settlesEarly(_ field: Field) -> Bool {
        switch field {
        case .id, .session, .connection, .api, .method, .scheme, .host, .port, .path, .query,
            .version, .device, .requestHeader:
            true
        default: false
        }
    }

    /// Whether something can hold for the exchange.
    mutating func fits(
        _ condition: ExchangeCondition, _ exchange: LiveExchange, _ context: GateContext
    ) -> Bool {
        switch condition {
        case .open: return true
        case .never: return false
        case .comparison(let comparison, let expected):
            return holds(comparison, exchange, context).map { $0 == expected } ?? true
        case .all(let parts):
            for part in parts where !fits(part, exchange, context) { return false }
            return true
        case .any(let parts):
            for part in parts where fits(part, exchange, context) { return true }
            return false
        }
    }

    /// Whether a comparison matches; nil where that is unknown.
    private mutating func holds(
        _ comparison: FilterComparison, _ exchange: LiveExchange, _ context: GateContext
    ) -> Bool? {
        let head = exchange.head
        switch comparison.field {
        case .id: return comparison.passes(Int64(exchange.number))
        case .session: return comparison.passes(context.session.rawValue)
        case .connection: return comparison.passes(context.connection.rawValue)
        case .requestSize: return comparison.passes(exchange.requestSize)
        case .responseSize: return comparison.passes(exchange.responseSize)
        case .status:
            return exchange.responseHead?.status.map { comparison.passes(Int64($0)) } ?? false
        case .method: return Self.holds(comparison, head, head.methodRange)
        case .version: return Self.holds(comparison, head, head.versionRange)
        case .port: return context.server.map { comparison.passes(Int64($0.port)) }
        case .scheme:
            if let server = context.server {
                return Self.holds(comparison, server.isTLS ? "https" : "http")
            }
            guard let places = places(head) else { return nil }
            return places.scheme.map { Self.holds(comparison, head, $0) }
                ?? Self.holds(comparison, "http")
        case .host:
            if let server = context.server { return Self.holds(comparison, server.host) }
            return host(head).map { Self.holds(comparison, head, $0) } ?? nil
        case .path: return places(head).map { Self.holds(comparison, head, $0.path) } ?? nil
        case .query:
            guard let places = places(head) else { return nil }
            return places.query.map { Self.holds(comparison, head, $0) } ?? false
        case .device:
            guard head.first("x-openrosa-deviceid") == nil, let places = places(head),
                places.query == nil
            else { return nil }
            return false
        case .retryAfter: return exchange.responseHead?.first("retry-after") == nil ? false : nil
        case .header:
            return Self.hasHeader(comparison, head)
                || exchange.responseHead.map { Self.hasHeader(comparison, $0) } ?? false
        case .requestHeader: return Self.hasHeader(comparison, head)
        case .responseHeader:
            return exchange.responseHead.map { Self.hasHeader(comparison, $0) } ?? false
        case .api: return holdsForAPI(comparison, exchange, context)
        default: return nil
        }
    }

    private mutating func holdsForAPI(
        _ comparison: FilterComparison, _ exchange: LiveExchange, _ context: GateContext
    ) -> Bool {
        if let api { return Self.holds(comparison, api) }
        let head = exchange.head
        if !exchange.isUpgrade, let places = places(head) {
            let isPlain = head.bytes.withUnsafeBytes { bytes in
                API.isPlain(
                    path: UnsafeRawBufferPointer(rebasing: bytes[places.path]),
                    query: places.query.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
            }
            if isPlain {
                api = API.plain
                return Self.holds(comparison, API.plain)
            }
        }
        let name = exchange.api(context)
        api = name
        return Self.holds(comparison, name)
    }

    // MARK: Parts of a head

    /// The ranges of path and query; nil where the target is not a plain path or URL.
    private mutating func places(_ head: HTTPHead) -> Places? {
        switch places {
        case .unclear: return nil
        case .known(let places): return places
        case .unasked:
            guard let found = Self.places(head) else {
                places = .unclear
                return nil
            }
            places = .known(found)
            return found
        }
    }

    private static func places(_ head: HTTPHead) -> Places? {
        let range = head.targetRange
        guard !range.isEmpty, HTTPRequestKind(head) != .connect else { return nil }
        return head.bytes.withUnsafeBytes { bytes -> Places? in
            var places = Places(path: range)
            if bytes[range.lowerBound] != 0x2F {
                guard let (scheme, host) = server(bytes, range) else { return nil }
                (places.scheme, places.host) = (scheme, host.name)
                places.path = host.end..<range.upperBound
            }
            var mark = range.upperBound
            for index in places.path {
                let byte = bytes[index]
                // Other bytes are decoded differently; a fragment belongs to neither part.
                guard byte > 0x20, byte < 0x7F, byte != 0x23 else { return nil }
                if byte == 0x3F, mark == range.upperBound { mark = index }
            }
            if mark < range.upperBound { places.query = mark + 1..<range.upperBound }
            places.path = places.path.lowerBound..<mark
            return places
        }
    }

    /// Scheme and host of a URL that has a path, and where the host with its port ends.
    private static func server(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> (scheme: Range<Int>, host: (name: Range<Int>, end: Int))? {
        var index = range.lowerBound
        while index < range.upperBound, (0x61...0x7A).contains(bytes[index]) { index += 1 }
        let scheme = range.lowerBound..<index
        guard index + 3 < range.upperBound, !scheme.isEmpty, bytes[index] == 0x3A,
            bytes[index + 1] == 0x2F, bytes[index + 2] == 0x2F
        else { return nil }
        // Any other has to state its port.
        guard
            bytes[scheme].elementsEqual("http".utf8) || bytes[scheme].elementsEqual("https".utf8)
        else { return nil }
        guard let host = plainHost(bytes, index + 3..<range.upperBound),
            host.end < range.upperBound, bytes[host.end] == 0x2F
        else { return nil }
        return (scheme, host)
    }

    /// The position of the host in the request; nil where it is not written plainly.
    private mutating func host(_ head: HTTPHead) -> Range<Int>? {
        switch host {
        case .unclear: return nil
        case .known(let host): return host
        case .unasked:
            guard let found = findHost(head) else {
                host = .unclear
                return nil
            }
            host = .known(found)
            return found
        }
    }

    private mutating func findHost(_ head: HTTPHead) -> Range<Int>? {
        guard let places = places(head) else { return nil }
        if let host = places.host { return host }
        guard let field = head.first("host") else { return nil }
        return head.bytes.withUnsafeBytes { bytes -> Range<Int>? in
            guard let host = Self.plainHost(bytes, field.value), host.end == field.value.upperBound
            else { return nil }
            return host.name
        }
    }

    /// A name or IPv4 address in lower case at the start of `range`, and where it ends with its port.
    private static func plainHost(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> (name: Range<Int>, end: Int)? {
        var index = range.lowerBound
        scanning: while index < range.upperBound {
            switch bytes[index] {
            case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E: index += 1
            default: break scanning
            }
        }
        let name = range.lowerBound..<index
        guard !name.isEmpty else { return nil }
        guard index < range.upperBound, bytes[index] == 0x3A else { return (name, index) }
        index += 1
        let start = index
        var port = 0
        while index < range.upperBound, case let digit = bytes[index] &- 0x30, digit < 10 {
            port = port * 10 + Int(digit)
            index += 1
            if port > 65535 { return nil }
        }
        return index > start ? (name, index) : nil
    }

    // MARK: Comparing

    /// Whether a comparison holds for bytes of a head; nil where they are not plain text.
    private static func holds(
        _ comparison: FilterComparison, _ head: HTTPHead, _ range: Range<Int>
    ) -> Bool? {
        head.bytes.withUnsafeBytes { bytes in
            let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
            for byte in piece where byte < 0x20 || byte > 0x7E { return nil }
            return comparison.passes(utf8: piece)
        }
    }

    private static func holds(_ comparison: FilterComparison, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { comparison.passes(utf8: UnsafeRawBufferPointer($0)) }
    }

    private static func hasHeader(_ comparison: FilterComparison, _ head: HTTPHead) -> Bool {
        head.bytes.withUnsafeBytes { HeadFields.value(of: comparison.name ?? "", in: $0) }
            .map { holds(comparison, $0) } ?? false
    }
}
