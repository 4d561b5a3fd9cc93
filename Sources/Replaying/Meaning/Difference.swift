/// One place where what came is not what was recorded.
///
/// Values are shortened to one line each, cut so that what differs is in sight.
public struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// What kind of place it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A value of JSON; the path is a JSON pointer.
        case json
        /// An element, an attribute or text; the path names elements with their number from 1.
        case xml
        /// A header field; the path is its name.
        case header
        /// A field of the query; the path is its name.
        case query
        /// A field of a form; the path is its name.
        case field
        /// The head of a part of a multipart body; the path has which part of it.
        case part
        /// The status of a response.
        case status
        /// Method, host or path of a request; the path has which.
        case target
        /// The order of things that are there on both sides.
        case order
        /// Something missing or added as a whole, such as a command.
        case presence
        /// A body that is only bytes; the path is the offset of the first that differs.
        case bytes
        /// What a body is: JSON, XML, bytes …
        case form
        /// An identifier that was bound to another one before; the path names it.
        case binding
    }

    /// The place of a value within a message.
    public struct Scope: Hashable, Sendable {
        /// Number of the part of a multipart body, from 0; outermost first.
        public var parts: [Int]

        /// Not in any part.
        public init(parts: [Int] = []) { self.parts = parts }

        func part(_ index: Int) -> Scope { Scope(parts: parts + [index]) }
    }

    /// What kind of place it is.
    public var kind: Kind
    /// The place, as its kind has it.
    public var path: String
    /// The part of a multipart body that it is in.
    public var scope: Scope
    /// What was recorded; nil where there was nothing.
    public var recorded: String?
    /// What came; nil where there was nothing.
    public var live: String?

    /// A difference with these values.
    public init(
        _ kind: Kind, _ path: String = "", in scope: Scope = Scope(), recorded: String?,
        live: String?
    ) {
        self.kind = kind
        self.path = path
        self.scope = scope
        self.recorded = recorded
        self.live = live
    }

    /// The place alone: `part 1, XML /data[1]/name[1]`.
    public var place: String {
        let name =
            switch kind {
            case .json: "JSON \(path.isEmpty ? "value" : path)"
            case .xml: "XML \(path)"
            case .header: "header \(path)"
            case .query: "query \(path)"
            case .field: "field \(path)"
            case .part: path
            case .status: "status"
            case .target: path
            case .order: path.isEmpty ? "order" : "order of \(path)"
            case .presence: path
            case .bytes: "byte \(path)"
            case .form: "body"
            case .binding: path
            }
        return scope.parts.map { "part \($0), " }.joined() + name
    }

    /// One line: `JSON /v: recorded 3, came 4`.
    public var description: String {
        switch (recorded, live) {
        case (let recorded?, let live?): "\(place): recorded \(recorded), received \(live)"
        case (let recorded?, nil): "\(place): recorded \(recorded), not received"
        case (nil, let live?): "\(place): not recorded, received \(live)"
        case (nil, nil): place
        }
    }
}

/// Differences up to a maximum number; of the rest only the existence is recorded.
public struct Differences: Hashable, Sendable {
    /// The first differences, in the order of the message.
    public private(set) var items: [Difference] = []
    /// Whether there are more.
    public private(set) var isCut = false
    /// The maximum number that is kept, at least 1.
    public let limit: Int

    /// None yet.
    public init(limit: Int = 20) { self.limit = max(1, limit) }

    /// Whether there are none.
    public var isEmpty: Bool { items.isEmpty }

    /// Whether looking for more is of no use.
    var isFull: Bool { isCut }

    /// Adds one, where there is room.
    public mutating func add(_ difference: Difference) {
        guard items.count < limit else {
            isCut = true
            return
        }
        items.append(difference)
        // Where one decides, the rest need not be inspected.
        if limit == 1 { isCut = true }
    }
}
