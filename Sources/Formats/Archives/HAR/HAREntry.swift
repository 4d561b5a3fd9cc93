internal import Framing
internal import Notation
internal import Wire

/// Reads one entry of an HTTP archive.
///
/// As lenient as possible: what is missing has its default, and what is invalid is listed in
/// ``ArchivedExchange/oddities``. Habits of exporters that are known from their sources: Chrome
/// (`WebInspector`; `devtools-frontend`, `HARLog`), Safari (`WebKit Web Inspector`;
/// `HARBuilder.js`), HTTP Toolkit (`har.ts`), Insomnia (`har.ts`) and mitmproxy (`savehar.py`).
struct HAREntry {
    /// Why an entry does not become an exchange.
    enum LeftOut: String, Error, CaseIterable {
        /// It is not an object with a request.
        case noRequest = "without a request"
        /// Its URL is none of `http`, `https`, `ws` and `wss`, such as `data:` and `blob:`.
        case otherScheme = "of other schemes than http and ws"
        /// The browser's cache answered, so that nothing went over the network.
        case cached = "answered from the browser's cache"
    }

    private let document: HARDocument
    private let node: JSONDocument.Node
    private let request: JSONDocument.Node
    private let url: String

    /// An entry that becomes an exchange.
    init(_ document: HARDocument) throws(LeftOut) {
        let node = document.root
        guard node.kind == .object, let request = node["request"], request.kind == .object else {
            throw .noRequest
        }
        url = Self.withoutFragment(request["url"]?.string ?? "")
        guard ArchivedURL(url) != nil else { throw .otherScheme }
        // Chrome writes `memory` or `disk`, Safari `Memory Cache` or `Disk Cache`.
        let cache = node["_fromCache"]?.string ?? ""
        let fetch = node["_fetchType"]?.string ?? ""
        guard cache.isEmpty, !fetch.hasSuffix("Cache") else { throw .cached }
        self.document = document
        self.node = node
        self.request = request
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }

    /// When the first byte of the request was sent, in nanoseconds since 1970 UTC; `fallback` where
    /// the entry does not have it.
    func started(fallback: Int64) -> Int64 {
        (archivedStart ?? fallback) + HARTimings(node).before
    }

    /// The value of `startedDateTime`; nil where it is not a time.
    var archivedStart: Int64? { node["startedDateTime"]?.string.flatMap(HARTime.parse) }

    /// The exchange; `fallback` counts where the entry has no start time.
    func exchange(fallback: Int64) -> ArchivedExchange {
        let timings = HARTimings(node)
        let start = started(fallback: fallback)
        let method = request["method"]?.string ?? ""
        var exchange = ArchivedExchange(
            method: method, url: url, startedUnixNanoseconds: start)
        if archivedStart == nil {
            exchange.oddities.append(
                "the archive has no start time; that of the previous entry is used")
        }
        exchange.requestEndedUnixNanoseconds = start + timings.send
        exchange.respondedUnixNanoseconds = exchange.requestEndedUnixNanoseconds + timings.wait
        exchange.endedUnixNanoseconds = exchange.respondedUnixNanoseconds + timings.receive
        exchange.version = request["httpVersion"]?.string ?? ""
        exchange.server = Self.address(node["serverIPAddress"]?.string ?? "")
        exchange.connection = HARNumber.text(node["connection"]) ?? ""
        exchange.request = HARBody.request(request, in: document, &exchange.oddities)
        if method.isEmpty {
            exchange.method = exchange.request.body.isEmpty ? "GET" : "POST"
            exchange.oddities.append("the archive has no method")
        }
        readResponse(&exchange)
        HARSocket.read(node, in: document, into: &exchange)
        return exchange
    }

    private func readResponse(_ exchange: inout ArchivedExchange) {
        let response = node["response"]
        // Chrome and Safari write null, `""` or the value of the network stack.
        exchange.error =
            [response?["_error"], node["_error"]]
            .compactMap { $0?.string }.first { !$0.isEmpty } ?? ""
        let status = HARNumber.count(response?["status"]) ?? 0
        guard let response, (100...999).contains(status) else { return }
        guard status >= 200 || status == 101 else {
            exchange.oddities.append("the archive has no final status, only \(status)")
            return
        }
        exchange.status = Int(status)
        exchange.reason = response["statusText"]?.string ?? ""
        if exchange.version.isEmpty { exchange.version = response["httpVersion"]?.string ?? "" }
        var message = HARBody.response(
            response, in: document, status: exchange.status, method: exchange.method,
            &exchange.oddities)
        if !exchange.error.isEmpty, exchange.method != "HEAD", message.missing == 0 {
            message.missing = Self.cutBytes(message)
        }
        exchange.response = message
    }

    /// How many bytes an answer that failed on its way lacks of what it states.
    private static func cutBytes(_ message: ArchivedExchange.Message) -> Int64 {
        func value(_ name: String) -> String? {
            message.fields.first { $0.name.lowercased() == name }?.value
        }
        guard value("content-encoding") == nil,
            let stated = value("content-length").flatMap({ Int64($0) })
        else { return 0 }
        return max(0, min(stated, HARBody.largest) - Int64(message.body.count))
    }

    /// An IP address without the brackets that some exporters write.
    private static func address(_ text: String) -> String {
        text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }
}
