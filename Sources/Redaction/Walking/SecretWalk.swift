internal import Framing
internal import Trace
internal import Wire

/// Goes through decoded content, finds the secrets in it and collects, replaces or reports them.
///
/// Every replacement has as many bytes as what it replaces, so that content is changed in place and
/// places found in it before hold afterwards.
final class SecretWalk {
    /// What is done with a secret.
    enum Purpose {
        /// It is put into the store, and it is noted which strings deltas edit.
        case collect
        /// Strings that deltas edit are put together and scanned as a whole.
        case judge
        /// It is replaced by a stand-in.
        case replace
        /// It is reported.
        case report((_ kind: SecretKind, _ secret: [UInt8], _ place: String) -> Void)
    }

    /// The kind of place of a value, which determines the secrets that are looked for in it.
    enum Ground {
        /// A value.
        case value
        /// Something that the protocols are built of: a name, a path, a namespace.
        case structure

        var least: SecretStore.Reach { self == .value ? .values : .everywhere }
    }

    /// Deepest nesting of content inside content, such as JSON in a JSON string: 6.
    static let deepest = 6

    var purpose: Purpose = .collect
    let store: SecretStore
    let places: RedactionPlaces
    let shapes: SecretShapes
    /// For strings that deltas edit.
    let substitution: CharacterSubstitution
    var edited = EditedStrings()
    /// Connections of which a fault may have kept messages.
    var faulted: Set<Int64> = []
    /// The properties of the last WebSocket of each of those at its end.
    var sockets: [Int64: SocketFacts] = [:]
    /// The peers that had what is being read.
    var peers: [Peer] = [.client, .server]
    /// What is being read, for reports.
    var place = ""
    /// Whether the session is marked as redacted.
    var isRedacted = false
    var depth = 0
    /// A failure that is reported when the current unit is done.
    private(set) var failure: FileError?

    init(options: RedactionOptions, key: [UInt8]) throws(FileError) {
        places = RedactionPlaces(names: options.names)
        shapes = SecretShapes(try options.expressions(), places)
        store = SecretStore(key: key)
        substitution = CharacterSubstitution(key: key)
    }

    /// Throws the failure since the last call.
    func check() throws(FileError) {
        if let failure { throw failure }
    }

    var isReplacing: Bool {
        if case .replace = purpose { return true }
        return false
    }

    // MARK: Values

    /// Scans the value in `range` of `bytes`.
    ///
    /// `kind` is its kind by its place, nil where that does not make it a secret; `name` is its
    /// name in reports.
    func value(
        _ bytes: inout [UInt8], _ range: Range<Int>, _ spelling: Spelling, kind: SecretKind? = nil,
        ground: Ground = .value, name: String = ""
    ) {
        guard !range.isEmpty else { return }
        let spelled = SpelledText(Array(bytes[range]), spelling)
        var text = spelled.text
        if let kind {
            secret(&text, 0..<text.count, kind, name)
        } else {
            plain(&text, ground, name)
        }
        if text != spelled.text { bytes.replaceSubrange(range, with: spelled.spell(text)) }
    }

    /// Scans decoded text that is not a secret by its place.
    func plain(_ text: inout [UInt8], _ ground: Ground, _ name: String = "") {
        if depth < Self.deepest, text.count > 1, ground == .value, nested(&text) { return }
        let found = shapes.find(in: text)
        for match in found { secret(&text, match.range, match.kind, name) }
        if isReplacing {
            store.replace(in: &text, least: ground.least, apartFrom: found.map(\.range))
        }
    }

    /// Does with a secret what is to be done with it.
    func secret(
        _ text: inout [UInt8], _ range: Range<Int>, _ kind: SecretKind, _ name: String = ""
    ) {
        let secret = Array(text[range])
        switch purpose {
        case .collect:
            do throws(FileError) {
                try store.add(secret, kind)
            } catch {
                failure = failure ?? error
            }
        case .judge: break
        case .replace:
            text.replaceSubrange(range, with: store.standIn(for: secret, kind))
        case .report(let tell):
            guard kind.isCredential, CharacterShape.variable(secret) >= 4,
                !(isRedacted && StandIns.isStandIn(secret)),
                !(kind == .email && ReservedDomain.ends(secret))
            else { return }
            tell(kind, secret, name.isEmpty ? place : "\(place), \(name)")
        }
    }

    /// Scans unknown bytes.
    func unknown(_ bytes: inout [UInt8]) {
        if String(validating: bytes, as: UTF8.self) != nil {
            plain(&bytes, .value)
        } else {
            binary(&bytes)
        }
    }

    /// Scans bytes that are not text, in which only what is unmistakable is found.
    func binary(_ bytes: inout [UInt8]) {
        if isReplacing { store.replace(in: &bytes, least: .everywhere) }
    }

    /// Content inside a value.
    private func nested(_ text: inout [UInt8]) -> Bool {
        guard let first = text.first, first == 0x7B || first == 0x5B || first == 0x3C else {
            return false
        }
        depth += 1
        defer { depth -= 1 }
        return first == 0x3C ? xml(&text, 0..<text.count) : json(&text, 0..<text.count)
    }
}
