internal import Framing

/// A complete `multipart/form-data` body, cut into its parts.
package struct MultipartBody {
    /// One part.
    package struct Part: Hashable {
        /// The `name` of its `Content-Disposition`; nil where it has none.
        package var name: String?
        /// The `filename` of its `Content-Disposition`; nil where it is a field.
        package var filename: String?
        /// Its `Content-Type`; nil where it has none.
        package var contentType: String?
        /// Where its content is in the body.
        package var content: Range<Int>
    }

    /// The parts in their order.
    package private(set) var parts: [Part] = []

    /// Whether a body with this `Content-Type` has parts.
    package static func isMeant(by contentType: String) -> Bool {
        ParameterizedValue.parse(contentType).value.lowercased() == "multipart/form-data"
    }

    /// Cuts `body`; nil where `contentType` names no boundary or the parts cannot be read to the
    /// closing one.
    package init?(_ body: [UInt8], contentType: String) {
        let limits = MultipartLimits(maxParts: 1000)
        guard var parser = MultipartParser(contentType: contentType, limits: limits) else {
            return nil
        }
        var events: [MultipartEvent] = []
        parser.consume(body.span, into: &events)
        parser.endOfStream(into: &events)
        var head: MultipartHead?
        for event in events {
            switch event {
            case .part(let opened, _): head = opened
            case .partEnd(let size, let end):
                parts.append(
                    Part(
                        name: head?.name, filename: head?.filename,
                        contentType: head?.contentType, content: Int(end - size)..<Int(end)))
            case .failure: return nil
            case .content, .held, .end: continue
            }
        }
    }
}
