import Dissection
import Wire

/// Checks one request, and remembers what a server has refused before.
struct HTTPRequestCheck {
    private struct Route: Hashable {
        let client: String
        let host: String
    }

    /// Answers that refused chunks.
    private var refused: [Route: FindingStep] = [:]
    private static let maxRefused = 1_024

    mutating func asked(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let request = exchange.request else { return }
        let row = exchange.row
        if row.requestSize > 0, row.method == "GET" || row.method == "HEAD" {
            report.add(
                Finding(
                    HTTPRules.bodyOnGet, asked: copy exchange, session,
                    detail: "\(row.method) \(row.path) has \(row.requestSize) bytes of content."))
        }
        if glance.names.contains(.expect) {
            expectation(exchange, glance, session, &report)
        }
        let content = request.body.content
        if content.count > 2, content[0] == 0x1F, content[1] == 0x8B,
            request.body.coding.isEmpty, !glance.names.contains(.contentEncoding),
            !Self.mayBeCompressed(request.body.contentType)
        {
            let type = request.body.contentType ?? "no type"
            report.add(
                Finding(
                    HTTPRules.compressedWithoutCoding, asked: copy exchange, session,
                    detail:
                        "The content of \(row.method) \(row.path) (\(Quote.escaped(type))) is gzip, and the request has no Content-Encoding."
                ))
        }
        guard glance.names.contains(.transferEncoding), !refused.isEmpty else { return }
        let route = Route(client: session.client(of: row.connection), host: row.host)
        guard let refusal = refused[route] else { return }
        report.add(
            Finding(
                HTTPRules.chunkedRefused, asked: copy exchange, session,
                detail:
                    "\(row.method) \(row.path) is chunked, and \(row.host) has refused that (\(refusal.quote)).",
                quote: request.head.first("transfer-encoding")?.line, before: [refusal]))
    }

    private func expectation(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        guard let field = exchange.request?.head.first("expect"),
            field.value.lowercased().hasPrefix("100-continue")
        else { return }
        if glance.names.isDisjoint(with: [.contentLength, .transferEncoding]) {
            report.add(
                Finding(
                    HTTPRules.expectWithoutContent, asked: copy exchange, session,
                    detail: "\(row.method) \(row.path) expects 100-continue and has no content.",
                    quote: field.line))
        } else if row.requestSize > 0, row.requestEndedAt == row.startedAt {
            report.add(
                Finding(
                    HTTPRules.expectNotWaited, asked: copy exchange, session,
                    detail:
                        "\(row.method) \(row.path) expects 100-continue, and its content was sent with the head.",
                    quote: field.line))
        }
    }

    /// Whether content of this type may be a compressed file.
    private static func mayBeCompressed(_ type: String?) -> Bool {
        guard let type = type?.lowercased() else { return false }
        return ["gzip", "zip", "octet-stream", "tar", "multipart", "compressed", "gz"]
            .contains { type.contains($0) }
    }

    mutating func answered(
        _ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        let row = exchange.row
        if row.status == 411 || row.status == 501, row.outcome == .complete,
            let request = exchange.request,
            HeadSummary(request.body.head).names.contains(.transferEncoding)
        {
            let route = Route(client: session.client(of: row.connection), host: row.host)
            if refused.count >= Self.maxRefused { refused.removeAll() }
            refused[route] = FindingStep(response: copy exchange, "chunks are refused")
        }
        guard row.outcome == .requestCut, row.status == nil, !exchange.isRequestTouched,
            exchange.faults.isEmpty, row.problem?.hasPrefix("the client's connection") == true,
            let view = session[row.connection], view.coverage == .whole, !view.wasCut
        else { return }
        let length = exchange.request?.head.value("content-length")
        let size = length.map { " of \(Quote.escaped($0))" } ?? ""
        report.add(
            Finding(
                HTTPRules.requestCut, asked: copy exchange, session,
                detail:
                    "The client closed the connection after \(row.requestSize)\(size) bytes of the content of \(row.method) \(row.path)."
            ))
    }
}
