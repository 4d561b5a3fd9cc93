public import Filters
import Notation

/// The first line of an add-on: which events it wants.
public struct AddonHello: Hashable, Sendable {
    /// The version of the protocol.
    public static let version: Int64 = 1
    /// The maximum number of subscriptions.
    static let maxSubscriptions = 64

    /// What it wants, in its order.
    public var subscriptions: [AddonSubscription]

    /// An add-on with these subscriptions.
    public init(_ subscriptions: [AddonSubscription]) { self.subscriptions = subscriptions }

    /// Reads the line.
    ///
    /// - Throws: ``AddonError`` with the place.
    public init(line: [UInt8]) throws(AddonError) {
        var members = try AddonMembers(line)
        guard members.has("hello") else { throw AddonError(.noHello, at: 0) }
        let node = try members.need("hello")
        guard let version = node.int else {
            throw AddonError(
                .invalid("hello", expected: "the version of the protocol"),
                at: node.range.lowerBound)
        }
        guard version == Self.version else {
            throw AddonError(.otherVersion(version), at: node.range.lowerBound)
        }
        subscriptions = []
        for item in try members.array("on") {
            guard subscriptions.count < Self.maxSubscriptions else {
                throw AddonError(
                    .invalid("on", expected: "at most \(Self.maxSubscriptions) subscriptions"),
                    at: item.range.lowerBound)
            }
            subscriptions.append(try AddonSubscription(item))
        }
        try members.finish()
    }
}

/// Events that an add-on asks for.
public struct AddonSubscription: Hashable, Sendable {
    /// Which of them, in the filter language.
    public var filter: Filter
    /// Of which kinds.
    public var kinds: Set<AddonEventKind>
    /// Whether they have their decoded meaning.
    public var isDecoded = true
    /// Whether they have their bytes.
    public var hasBytes = false
    /// Whether no verdict is waited for: the add-on only watches.
    public var isWatching = false

    /// The events for which a filter holds, of these kinds.
    public init(filter: Filter, kinds: Set<AddonEventKind>) {
        self.filter = filter
        self.kinds = kinds
    }

    /// What the text of a filter asks for, without more words: a request, or what comes first of a
    /// response, a command and a message where the filter is about none.
    ///
    /// - Throws: ``FilterError`` where it cannot be read, or is known of no event.
    public init(filter text: String) throws(FilterError) {
        let filter = try Filter.parse(text)
        guard !filter.mentions.isEmpty else {
            self.init(filter: filter, kinds: [.request, .response, .message])
            return
        }
        var failure: FilterError?
        for kind in [AddonEventKind.request, .response, .command, .message] {
            do throws(FilterError) {
                try filter.validate(for: kind.phase)
                self.init(filter: filter, kinds: [kind])
                return
            } catch { failure = failure ?? error }
        }
        guard let failure else {
            self.init(filter: filter, kinds: [])
            return
        }
        throw failure
    }

    /// Reads an element of the hello.
    init(_ node: JSONDocument.Node) throws(AddonError) {
        var members = try AddonMembers(node)
        let place = node.range.lowerBound
        let text = members.has("filter") ? try members.text("filter") : ""
        do throws(FilterError) {
            try self.init(filter: text)
        } catch {
            throw AddonError(.filter(text, error.description), at: place)
        }
        let names = try members.array("kinds")
        if !names.isEmpty { kinds = [] }
        for name in names {
            guard let kind = name.string.flatMap(AddonEventKind.init(rawValue:)) else {
                throw AddonError(
                    .invalid(
                        "kinds",
                        expected: AddonEventKind.allCases.map(\.rawValue).joined(separator: ", ")),
                    at: name.range.lowerBound)
            }
            do throws(FilterError) { try filter.validate(for: kind.phase) } catch {
                throw AddonError(
                    .filter(text, error.description), at: name.range.lowerBound)
            }
            kinds.insert(kind)
        }
        isDecoded = try members.flag("decoded") ?? true
        hasBytes = try members.flag("bytes") ?? false
        isWatching = try members.flag("watch") ?? false
        try members.finish()
    }
}
