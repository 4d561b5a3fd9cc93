/// How the end of a message's content is found.
///
/// Source: RFC 9112, 6.3, and where it requires refusal, what lenient servers do.
enum HTTPBodyFraming: Equatable {
    /// There is no content.
    case none
    /// This many bytes follow.
    case length(Int64)
    /// Chunks follow.
    case chunked
    /// The content continues until the direction ends.
    case untilEnd
    /// `Content-Length` at `offset` in the head has no number.
    case unreadable(offset: Int)
    /// `Content-Length` at `offset` in the head is above 2^63 − 1.
    case overflow(offset: Int)
}

extension HTTPBodyFraming {
    /// What follows the head of a request.
    static func ofRequest(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, notes: inout HTTPNoteList
    ) -> HTTPBodyFraming {
        guard HTTPRequestKind(head) != .connect else {
            return forbidden(head, landmarks, notes: &notes)
        }
        switch transferCoding(head, landmarks, notes: &notes) {
        case .chunked, .chunkedElsewhere:
            return .chunked
        case .other, .none:
            return length(head, landmarks, notes: &notes) ?? .none
        }
    }

    /// What follows the head of a response.
    static func ofResponse(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, to request: HTTPRequestKind,
        notes: inout HTTPNoteList
    ) -> HTTPBodyFraming {
        let status = head.status ?? 0
        if (100..<200).contains(status) || status == 204
            || (request == .connect && (200..<300).contains(status))
        {
            return forbidden(head, landmarks, notes: &notes)
        }
        // Both may state the length that the content would have.
        if request == .head || status == 304 { return .none }
        switch transferCoding(head, landmarks, notes: &notes) {
        case .chunked:
            return .chunked
        case .chunkedElsewhere, .other:
            return .untilEnd
        case .none:
            return length(head, landmarks, notes: &notes) ?? .untilEnd
        }
    }

    private static func forbidden(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, notes: inout HTTPNoteList
    ) -> HTTPBodyFraming {
        if landmarks.lengths > 0 || landmarks.transferEncodings > 0 {
            let field = head.first("content-length") ?? head.first("transfer-encoding")
            notes.add(.lengthForbidden, field?.name.lowerBound ?? 0)
        }
        return .none
    }

    private enum TransferCoding {
        /// None but `identity`, which an older edition of HTTP had.
        case none
        /// `chunked` is last.
        case chunked
        /// `chunked` is there, and not last.
        case chunkedElsewhere
        /// `chunked` is not there.
        case other
    }

    private static func transferCoding(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, notes: inout HTTPNoteList
    ) -> TransferCoding {
        guard landmarks.transferEncodings > 0 else { return .none }
        let span = head.bytes.span
        var chunked = 0
        var others = 0
        var identities = 0
        var endsInChunked = false
        var place = 0
        for field in head.all("transfer-encoding") {
            place = field.name.lowerBound
            var elements = HTTPListElements(field.value)
            while let element = elements.next(in: span) {
                endsInChunked = span.isEqual(element.token, ignoringCaseOf: "chunked")
                if endsInChunked {
                    chunked += 1
                    if element.token != element.whole { others += 1 }
                } else if span.isEqual(element.whole, ignoringCaseOf: "identity") {
                    identities += 1
                } else {
                    others += 1
                }
            }
        }
        if span.isEqual(head.versionRange, to: "HTTP/1.0") {
            notes.add(.oldTransferEncoding, place)
        }
        if landmarks.lengths > 0 {
            notes.add(.twoLengths, head.first("content-length")?.name.lowerBound ?? place)
        }
        if others + identities > 0 || chunked > 1 { notes.add(.transferCoding, place) }
        if endsInChunked { return .chunked }
        notes.add(.chunkedNotLast, place)
        if chunked > 0 { return .chunkedElsewhere }
        return others > 0 ? .other : .none
    }

    private static func length(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, notes: inout HTTPNoteList
    ) -> HTTPBodyFraming? {
        guard landmarks.lengths > 0 else { return nil }
        let span = head.bytes.span
        var result: HTTPBodyFraming?
        for field in head.fields
        where span.isEqual(field.name, ignoringCaseOf: "content-length") {
            var elements = HTTPListElements(field.value)
            var isEmpty = true
            while let element = elements.next(in: span) {
                isEmpty = false
                let value = number(span, element.whole, notes: &notes)
                guard let first = result else {
                    result = value
                    continue
                }
                notes.add(
                    first == value ? .repeatedLength : .differentLengths,
                    element.whole.lowerBound)
            }
            if isEmpty { notes.add(.lengthSyntax, field.value.lowerBound) }
        }
        return result
    }

    private static func number(
        _ span: borrowing Span<UInt8>, _ range: Range<Int>, notes: inout HTTPNoteList
    ) -> HTTPBodyFraming {
        var index = range.lowerBound
        if span[index] == 0x2B { index += 1 }
        let start = index
        var value: Int64 = 0
        while index < range.upperBound, span[index].isDigit {
            let (product, high) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(span[index] - 0x30))
            guard !high, !carry else { return .overflow(offset: range.lowerBound) }
            value = sum
            index += 1
        }
        guard index > start else { return .unreadable(offset: range.lowerBound) }
        if start != range.lowerBound || index != range.upperBound {
            notes.add(.lengthSyntax, range.lowerBound)
        }
        return .length(value)
    }
}
