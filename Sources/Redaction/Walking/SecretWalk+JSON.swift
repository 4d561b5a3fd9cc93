internal import Notation
internal import Wire

extension SecretWalk {
    /// The maximum nesting of JSON that is scanned; what is deeper is scanned as text: 128.
    private static let deepestJSON = 128

    /// Scans the JSON text in `range`.
    ///
    /// - Returns: Whether it is JSON.
    func json(_ bytes: inout [UInt8], _ range: Range<Int>) -> Bool {
        guard
            let document = try? JSONDocument.scan(
                bytes, in: range, limits: JSONLimits(depth: Self.deepestJSON))
        else { return false }
        json(&bytes, document.root, named: [])
        return true
    }

    /// Scans a value called `name`; elements of an array are called as the array is.
    func json(_ bytes: inout [UInt8], _ node: JSONDocument.Node, named name: [UInt8]) {
        switch node.kind {
        case .object:
            for member in node.members {
                let key = Array((member.key.string ?? "").utf8)
                json(&bytes, member.value, named: key)
                self.key(&bytes, member.key)
            }
        case .array:
            for element in node.elements { json(&bytes, element, named: name) }
        default: scalar(&bytes, node, kind: places.kind(.member, name), name)
        }
    }

    /// The key of a member, in which only what is unmistakable is replaced.
    func key(_ bytes: inout [UInt8], _ key: JSONDocument.Node) {
        let inside = key.range.lowerBound + 1..<key.range.upperBound - 1
        value(&bytes, inside, .json, ground: .structure)
    }

    /// A string or number.
    func scalar(
        _ bytes: inout [UInt8], _ node: JSONDocument.Node, kind: SecretKind?, _ name: [UInt8]
    ) {
        let detail = "member \(String(decoding: name, as: UTF8.self))"
        switch node.kind {
        case .string:
            let inside = node.range.lowerBound + 1..<node.range.upperBound - 1
            value(
                &bytes, inside, .json, kind: kind,
                ground: RedactionPlaces.isIdentifier(name) ? .structure : .value, name: detail)
        case .number:
            // The first digit stays, since a number does not begin with 0; so do its exponent and
            // what is too short to be identifying.
            guard kind != nil, node.range.count > 4,
                bytes[node.range].allSatisfy({ (0x30...0x39).contains($0) })
            else { return }
            value(
                &bytes, node.range.lowerBound + 1..<node.range.upperBound, .plain, kind: kind,
                name: detail)
        default: return
        }
    }
}
