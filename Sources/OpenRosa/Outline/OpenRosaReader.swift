/// Makes the outline of an OpenRosa or CommCare document while it streams by.
///
/// Memory does not grow with the document. Reading ends where the document is not well formed; what
/// was found until there is kept. ``CommCareReader`` reports the events of which the outline is
/// made.
public final class OpenRosaReader {
    /// What is known in advance about the document.
    public enum Purpose: Hashable, Sendable {
        /// Nothing.
        case any
        /// It was submitted: what is not a response is a form, even without `meta`.
        case submission
    }

    private let outline: OpenRosaOutline
    private let follower: CommCareFollower
    private let stream: XMLStream
    private var problem: XMLError?

    /// A reader at the start of a document.
    ///
    /// - Parameters:
    ///   - purpose: What is known in advance about the document.
    ///   - limits: When to refuse it.
    ///   - work: What was spent of the limits on documents before it.
    ///   - caseBlocks: Of how many case blocks to make an outline; the first ones are taken.
    public init(
        purpose: Purpose = .any, limits: XMLLimits = XMLLimits(), work: XMLWork = XMLWork(),
        caseBlocks: Int = 0
    ) {
        let outline = OpenRosaOutline(caseBlocks: caseBlocks)
        self.outline = outline
        follower = CommCareFollower(
            purpose: purpose, bounds: OpenRosaOutline.bounds, findsFiles: false
        ) { outline.take($0) }
        stream = XMLStream(handler: follower, limits: limits, work: work)
    }

    /// Bytes that it holds, roughly, and the same for the same document.
    public var heldBytes: Int { stream.heldBytes + follower.heldBytes }

    /// What was spent of the limits, with what was spent before.
    public var work: XMLWork { stream.work }

    /// Reads the next bytes.
    ///
    /// - Returns: Whether the document is well formed so far; once it is not, nothing more is read.
    @discardableResult
    public func feed(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard problem == nil else { return false }
        do {
            try stream.feed(bytes)
            return true
        } catch {
            problem = error
            return false
        }
    }

    /// Gives the outlines of the case blocks that ended since the last time, in order, and drops
    /// them.
    public func takeCases() -> [CaseOutline] { outline.takeCases() }

    /// Ends the document.
    ///
    /// - Returns: What the document was.
    public func finish() -> OpenRosaDocument {
        if problem == nil {
            do {
                try stream.finish()
            } catch {
                problem = error
            }
        }
        if let problem {
            if let begun = follower.begun { outline.take(begun: begun) }
            outline.fail(with: problem, namespaceError: stream.namespaceError)
        } else {
            follower.finish(at: stream.lines.position, namespaceError: stream.namespaceError)
        }
        outline.finish(follower)
        return outline.document
    }

    /// Reads a whole document.
    public static func read(_ bytes: [UInt8], purpose: Purpose = .any) -> OpenRosaDocument {
        let reader = OpenRosaReader(purpose: purpose)
        reader.feed(bytes.span)
        return reader.finish()
    }
}

@available(*, unavailable)
extension OpenRosaReader: Sendable {}
