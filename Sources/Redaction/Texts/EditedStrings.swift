internal import Notation
internal import Simperium
internal import Wire

/// Strings of Simperium objects that string deltas edit, and those of them that hold a secret.
///
/// A secret that is typed into such a string occurs nowhere as a whole. So the objects are
/// reconstructed, and a string that contained a secret at any time, or whose contents were unknown,
/// is a secret as a whole.
struct EditedStrings {
    /// The maximum number of strings that are tracked: 200,000.
    ///
    /// When there are more, all that deltas edit are taken for secrets.
    static let maxStrings = 200_000

    private var edited: Set<String> = []
    private var secret: Set<String> = []
    private var isFull = false
    /// By the peer whose side they follow.
    private var ledgers = [Ledgers(), Ledgers()]

    /// Whether any string is edited by deltas.
    var isEmpty: Bool { edited.isEmpty }

    private static func name(_ place: SecretWalk.DataPlace) -> String {
        "\(place.bucket)\u{0}\(place.key)\u{0}\(place.path)"
    }

    /// A delta edits the string at `place`.
    mutating func edit(_ place: SecretWalk.DataPlace) { put(place, into: \.edited) }

    /// The string at `place` holds a secret.
    mutating func holdsSecret(_ place: SecretWalk.DataPlace) { put(place, into: \.secret) }

    private mutating func put(
        _ place: SecretWalk.DataPlace, into set: WritableKeyPath<Self, Set<String>>
    ) {
        guard self[keyPath: set].count < Self.maxStrings else {
            isFull = true
            return
        }
        self[keyPath: set].insert(Self.name(place))
    }

    /// Whether a delta edits the string at `place`.
    func isEdited(_ place: SecretWalk.DataPlace) -> Bool {
        isFull || edited.contains(Self.name(place))
    }

    /// Whether the string at `place` is edited and holds a secret.
    func isSecret(_ place: SecretWalk.DataPlace) -> Bool {
        guard !edited.isEmpty else { return false }
        let name = Self.name(place)
        return isFull || edited.contains(name) && secret.contains(name)
    }

    /// Scans what the string at `place` holds at some time.
    mutating func judge(_ text: [UInt8], at place: SecretWalk.DataPlace, by walk: SecretWalk) {
        if walk.store.isIn(text) || !walk.shapes.find(in: text).isEmpty { holdsSecret(place) }
    }

    /// Follows a command, and inspects what its deltas make of strings.
    mutating func judge(
        _ command: SimperiumCommand, in message: [UInt8], bucket: String, by walk: SecretWalk
    ) {
        for peer in walk.peers {
            judge(command, in: message, bucket: bucket, hadBy: peer, by: walk)
        }
    }

    private mutating func judge(
        _ command: SimperiumCommand, in message: [UInt8], bucket: String, hadBy peer: Peer,
        by walk: SecretWalk
    ) {
        if case .changes(let changes) = command.body {
            for change in changes {
                guard let range = change.value, range.upperBound <= message.count,
                    let document = try? JSONDocument.scan(message, in: range)
                else { continue }
                let place = SecretWalk.DataPlace(bucket: bucket, key: change.key ?? "")
                // Of a bucket that was not spoken of yet nothing is known.
                let ledger = ledgers[peer.rawValue][bucket] ?? Ledger()
                let base = ledger.base(of: change) ?? own(change, ledger)
                let result = base.flatMap {
                    try? JSONDiff.apply(JSONValue(document.root), to: $0)
                }
                judge(document.root, result, at: place, by: walk)
            }
        }
        ledgers[peer.rawValue].see(command, in: message, bucket: bucket)
    }

    /// What the client that makes the change has, where it changes what the server has not yet.
    private func own(_ change: SimperiumChange<Range<Int>>, _ ledger: Ledger) -> JSONValue? {
        change.key.flatMap { ledger.proposal($0)?.json }.flatMap(Ledger.Object.value)
    }

    private mutating func judge(
        _ diff: JSONDocument.Node, _ result: JSONValue?, at place: SecretWalk.DataPlace,
        by walk: SecretWalk
    ) {
        for member in diff.members {
            let name = member.key.string ?? ""
            let place = place.member(name)
            let value = result.flatMap { Self.member(name, of: $0) }
            guard let operation = member.value["o"]?.string, let content = member.value["v"] else {
                continue
            }
            switch operation {
            case "d":
                if case .string(let text)? = value {
                    judge(Array(text.utf8), at: place, by: walk)
                } else {
                    holdsSecret(place)
                }
            case "O", "L": judge(content, value, at: place, by: walk)
            default: continue
            }
        }
    }

    private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        switch value {
        case .object(let object): object[name]
        case .array(let elements):
            Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        default: nil
        }
    }
}
