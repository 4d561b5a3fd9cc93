import Framing
import OpenRosa

/// What heads say, found out once for those that come again.
///
/// Kept connections repeat their heads, see ``HTTPKnownHeads``; what follows from a head alone is then
/// looked up by its identity.
struct HeadFacts<Facts> {
    /// Number of places, a power of 2.
    private static var count: Int { 64 }

    private var places: [(head: HTTPHead, facts: Facts)?] = []

    /// The facts of `head`, which `make` finds out where they are not known.
    mutating func of(_ head: HTTPHead, _ make: (HTTPHead) -> Facts) -> Facts {
        // Heads are objects of more than 64 bytes.
        let place = (Int(bitPattern: head.identity) >> 6) & (Self.count - 1)
        if !places.isEmpty, let known = places[place], known.head.identity == head.identity {
            return known.facts
        }
        let facts = make(head)
        // Only these come again with the same identity, which lasts as long as they are kept here.
        guard head.bytes.count <= HTTPKnownHeads.longest else { return facts }
        if places.isEmpty { places = Array(repeating: nil, count: Self.count) }
        places[place] = (head, facts)
        return facts
    }
}

/// What the head of a request says.
final class RequestFacts {
    let method: String
    let version: String
    let kind: HTTPRequestKind
    let address: RequestAddress
    /// The API of a request to the host in ``address``.
    let api: String
    let isUpgrade: Bool
    let device: String?
    let user: String?
    let body: BodyFacts

    init(_ head: HTTPHead) {
        method = head.method
        version = head.version
        kind = HTTPRequestKind(head)
        let address = RequestAddress(head)
        self.address = address
        let isUpgrade = head.asksForWebSocket
        self.isUpgrade = isUpgrade
        api = API.name(
            method: method, host: address.host, path: address.path, query: address.query,
            isUpgrade: isUpgrade)
        device = Device.identifier(in: head, query: address.query)
        user = SignedInUser.name(in: head, query: address.query)
        body = BodyFacts(head)
    }

    /// The API of the request where it is to `host`.
    func api(host: String) -> String {
        host == address.host
            ? api
            : API.name(
                method: method, host: host, path: address.path, query: address.query,
                isUpgrade: isUpgrade)
    }
}

/// What the head of a response says.
final class ResponseFacts {
    let reason: String
    let retryAfter: String?
    let body: BodyFacts

    init(_ head: HTTPHead) {
        reason = head.reason
        retryAfter = head.value(of: "retry-after")
        body = BodyFacts(head)
    }
}

/// What a head says about the content behind it.
final class BodyFacts {
    /// `Content-Type` as sent.
    let contentType: String?
    /// The content codings, in order; nil where there are none.
    let coding: String?
    /// Bytes that are announced of a content without coding; 0 where none are.
    let announced: Int
    /// Whether the content has parts.
    let isMultipart: Bool
    /// Whether the content is said to be XML.
    let isXML: Bool

    init(_ head: HTTPHead) {
        contentType = head.value(of: "content-type")
        coding =
            head.first("content-encoding") == nil
            ? nil : head.values(of: "content-encoding").joined(separator: ", ")
        announced = head.value(of: "content-length").flatMap { Int($0) } ?? 0
        isMultipart = contentType?.hasPrefix("multipart/") ?? false
        isXML = contentType?.containsASCII("xml") ?? false
    }
}
