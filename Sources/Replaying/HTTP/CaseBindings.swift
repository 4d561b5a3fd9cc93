internal import OpenRosa
internal import Wire

/// Identifiers of cases that live devices make, mapped to the recorded ones.
///
/// A device generates the identifiers of its cases. Once a form that makes cases found its
/// counterpart, live identifiers count as the recorded ones: in later forms, in paths and queries,
/// and in the hash of the device's cases; and they replace them in recorded answers. Identifiers of
/// at least ``shortest`` letters, digits, `-` and `_` count.
public struct CaseBindings: Sendable {
    /// Live identifiers by the recorded ones, without those that are the same.
    public private(set) var live: [String: String] = [:]
    /// Recorded identifiers by the live ones.
    public private(set) var recorded: [String: String] = [:]
    /// Live identifiers of cases that forms closed.
    private var closed: Set<String> = []

    /// The length in bytes of the shortest identifier that is recognised anywhere in a text.
    public static let shortest = 8
    /// The maximum number of identifiers that are bound.
    static let most = 1_000_000

    init() {}

    /// Whether nothing is called otherwise.
    public var isEmpty: Bool { live.isEmpty }

    /// Binds what a form makes to what the recorded one makes, and notes what it closes.
    mutating func learn(recorded one: [String], live other: [String], closed: [String]) {
        for (one, other) in zip(one, other) where one != other {
            guard live[one] == nil, recorded[other] == nil, live.count < Self.most,
                Self.isName(one), Self.isName(other)
            else { continue }
            live[one] = other
            recorded[other] = one
        }
        if !recorded.isEmpty { self.closed.formUnion(closed.filter { recorded[$0] != nil }) }
    }

    /// A live request in terms of the recording, the likeliest first.
    ///
    /// There are several where it has the hash of a device's cases: it is uncertain which of them
    /// are on the device.
    func variants(of request: ReplayRequest) -> [ReplayRequest] {
        guard !isEmpty else { return [request] }
        var request = request
        request.path = Self.replaced(request.path, recorded)
        request.query = request.query.map { Self.replaced($0, recorded) }
        if let body = Self.replaced(request.message.body, recorded) { request.message.body = body }
        guard let query = request.query, let state = Self.state(in: query) else { return [request] }
        let open = recorded.keys.filter { !closed.contains($0) }
        var variants: [ReplayRequest] = []
        for live in [Array(open), Array(recorded.keys), []] {
            var digest = state.hash.digest
            for id in live {
                guard let known = recorded[id] else { continue }
                digest =
                    (digest ?? .zero) ^ CaseStateHash.Digest(of: id)
                    ^ CaseStateHash.Digest(of: known)
            }
            var variant = request
            var text = query
            text.replaceSubrange(
                state.range, with: CaseStateHash(digest: digest).description)
            variant.query = live.isEmpty ? query : text
            if !variants.contains(variant) { variants.append(variant) }
        }
        return variants
    }

    /// A recorded text with the live identifiers; nil where it is unchanged.
    func rewritten(_ text: [UInt8]) -> [UInt8]? { Self.replaced(text, live) }

    /// The value of `state` in a query.
    private static func state(
        in query: String
    ) -> (range: Range<String.Index>, hash: CaseStateHash)? {
        for piece in query.split(separator: "&") where piece.hasPrefix("state=") {
            let value = piece.dropFirst("state=".count)
            let text = value.replacing("%3A", with: ":").replacing("%3a", with: ":")
            guard let hash = try? CaseStateHash(parsing: String(text)), hash.digest != nil else {
                return nil
            }
            return (value.startIndex..<value.endIndex, hash)
        }
        return nil
    }

    // MARK: Whole words

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x5F: true
        default: false
        }
    }

    /// Whether an identifier is recognised anywhere in a text.
    static func isName(_ text: String) -> Bool {
        text.utf8.count >= shortest && text.utf8.allSatisfy(isNameByte)
    }

    private static func replaced(_ text: String, _ names: [String: String]) -> String {
        replaced(Array(text.utf8), names).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The text with other identifiers; nil where it has none.
    private static func replaced(_ text: [UInt8], _ names: [String: String]) -> [UInt8]? {
        guard !names.isEmpty else { return nil }
        let lengths = Set(names.keys.lazy.map(\.utf8.count))
        var output: [UInt8]?
        var done = 0
        var index = 0
        while index < text.count {
            guard isNameByte(text[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, isNameByte(text[index]) { index += 1 }
            guard lengths.contains(index - start),
                let name = names[String(decoding: text[start..<index], as: UTF8.self)]
            else { continue }
            output = (output ?? []) + text[done..<start] + Array(name.utf8)
            done = index
        }
        return output.map { $0 + text[done...] }
    }
}
