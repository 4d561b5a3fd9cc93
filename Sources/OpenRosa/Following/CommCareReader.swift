/// Parses a CommCare or OpenRosa document as a stream, and reports its elements.
///
/// Responses, restores, filled forms, form lists and manifests. Memory does not grow with the
/// document: an event holds what ``CommCareBounds`` allows, and nothing is kept between events but
/// names. How the document is divided into feeds makes no difference. Errors of real clients and
/// servers are read as CommCare reads them, and noted.
public final class CommCareReader {
    private let follower: CommCareFollower
    private let stream: XMLStream

    /// A reader at the start of a document.
    ///
    /// - Parameters:
    ///   - purpose: What is known in advance about the document.
    ///   - limits: When to refuse it.
    ///   - bounds: How much to keep of one event.
    ///   - handler: Takes the events, during ``feed(_:)`` and ``finish()``, which it must not call.
    public init(
        purpose: OpenRosaReader.Purpose = .any, limits: XMLLimits = XMLLimits(),
        bounds: CommCareBounds = CommCareBounds(), handler: @escaping (CommCareEvent) -> Void
    ) {
        follower = CommCareFollower(purpose: purpose, bounds: bounds, handler: handler)
        stream = XMLStream(handler: follower, limits: limits)
    }

    /// Reads the next bytes.
    ///
    /// - Throws: ``XMLError`` once the document is not well formed; the same one from then on.
    public func feed(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
        try stream.feed(bytes)
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLError`` where it is not complete, or not one.
    public func finish() throws(XMLError) {
        try stream.finish()
        follower.finish(at: stream.lines.position, namespaceError: stream.namespaceError)
    }

    /// Reads a whole document.
    ///
    /// - Returns: The events, and what ended the reading early.
    public static func read(
        _ bytes: [UInt8], purpose: OpenRosaReader.Purpose = .any,
        limits: XMLLimits = XMLLimits(), bounds: CommCareBounds = CommCareBounds()
    ) -> (events: [CommCareEvent], error: XMLError?) {
        var events: [CommCareEvent] = []
        let reader = CommCareReader(purpose: purpose, limits: limits, bounds: bounds) {
            events.append($0)
        }
        do {
            try reader.feed(bytes.span)
            try reader.finish()
            return (events, nil)
        } catch {
            return (events, error)
        }
    }
}

@available(*, unavailable)
extension CommCareReader: Sendable {}
