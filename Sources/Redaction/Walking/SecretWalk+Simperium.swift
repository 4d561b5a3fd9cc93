internal import Notation
internal import Simperium
internal import Wire

extension SecretWalk {
    /// An object of a bucket, of which members are being scanned.
    struct DataPlace {
        /// Application and bucket.
        var bucket: String
        /// Key of the object.
        var key: String
        /// The keys down to the member, joined by slashes; elements of lists are `*`.
        var path = ""

        func member(_ name: String) -> Self {
            let isIndex = !name.isEmpty && name.utf8.allSatisfy { (0x30...0x39).contains($0) }
            var place = self
            place.path += "/" + (isIndex ? "*" : name)
            return place
        }
    }

    /// Scans one Simperium command.
    func command(_ bytes: inout [UInt8], from sender: Peer, in socket: inout SocketFacts) {
        let original = bytes
        let command = SimperiumCommand.parse(original, from: sender)
        if case .initialize(let request) = command.body, let channel = command.channel {
            socket.open(channel, bucket: request.bucket, app: request.app)
        }
        let bucket = command.channel.flatMap { socket.bucket($0) }
        if let bucket, case .judge = purpose {
            edited.judge(command, in: original, bucket: bucket, by: self)
        }
        let payload = command.payload
        guard !payload.isEmpty else {
            unknown(&bytes)
            return
        }
        if command.name == "e", let line = bytes[payload].firstIndex(of: 0x0A) {
            value(&bytes, payload.lowerBound..<line, .plain, ground: .structure)
            let key =
                command.key ?? String(decoding: original[payload.lowerBound..<line], as: UTF8.self)
            let rest = line + 1..<payload.upperBound
            guard let document = try? JSONDocument.scan(bytes, in: rest) else {
                return value(&bytes, rest, .plain)
            }
            for member in document.root.members {
                if let bucket, member.key.spells("data") {
                    data(&bytes, member.value, at: DataPlace(bucket: bucket, key: key))
                } else {
                    json(&bytes, member.value, named: Array((member.key.string ?? "").utf8))
                }
            }
            return
        }
        guard let document = try? JSONDocument.scan(bytes, in: payload) else {
            // Keys and versions are identifiers.
            let isIdentifier = ["e", "cv", "i"].contains(command.name)
            return value(
                &bytes, payload, .plain, ground: isIdentifier ? .structure : .value,
                name: "command \(command.name)")
        }
        switch (command.name, bucket) {
        case ("c", let bucket?):
            let changes =
                document.root.kind == .array ? Array(document.root.elements) : [document.root]
            for change in changes { self.change(&bytes, change, in: bucket) }
        case ("i", let bucket?), ("index", let bucket?):
            page(&bytes, document.root, in: bucket)
        default: json(&bytes, document.root, named: [])
        }
    }

    private func change(_ bytes: inout [UInt8], _ node: JSONDocument.Node, in bucket: String) {
        let place = DataPlace(bucket: bucket, key: node["id"]?.string ?? "")
        guard node.kind == .object else { return json(&bytes, node, named: []) }
        for member in node.members {
            let name = member.key.string ?? ""
            switch (name, member.value.kind) {
            case ("v", .object): diff(&bytes, member.value, at: place)
            case ("d", .object): data(&bytes, member.value, at: place)
            default: json(&bytes, member.value, named: Array(name.utf8))
            }
            key(&bytes, member.key)
        }
    }

    private func page(_ bytes: inout [UInt8], _ node: JSONDocument.Node, in bucket: String) {
        for member in node.members {
            guard member.key.spells("index"), member.value.kind == .array else {
                json(&bytes, member.value, named: Array((member.key.string ?? "").utf8))
                continue
            }
            for entry in member.value.elements {
                let place = DataPlace(bucket: bucket, key: entry["id"]?.string ?? "")
                guard entry.kind == .object else {
                    json(&bytes, entry, named: [])
                    continue
                }
                for part in entry.members {
                    if part.key.spells("d") {
                        data(&bytes, part.value, at: place)
                    } else {
                        json(&bytes, part.value, named: Array((part.key.string ?? "").utf8))
                    }
                }
            }
        }
    }

    // MARK: Objects and diffs

    /// Scans a value of an object that is there as a whole.
    private func data(
        _ bytes: inout [UInt8], _ node: JSONDocument.Node, at place: DataPlace,
        named name: String = ""
    ) {
        switch node.kind {
        case .object:
            for member in node.members {
                let name = member.key.string ?? ""
                data(&bytes, member.value, at: place.member(name), named: name)
                key(&bytes, member.key)
            }
        case .array:
            for element in node.elements {
                data(&bytes, element, at: place.member("0"), named: name)
            }
        case .string: string(&bytes, node, at: place, named: name)
        default: scalar(&bytes, node, kind: places.kind(.member, name.utf8), Array(name.utf8))
        }
    }

    private func string(
        _ bytes: inout [UInt8], _ node: JSONDocument.Node, at place: DataPlace, named name: String
    ) {
        let kind = places.kind(.member, name.utf8)
        let inside = node.range.lowerBound + 1..<node.range.upperBound - 1
        switch purpose {
        case .replace where edited.isSecret(place):
            let spelled = SpelledText(Array(bytes[inside]), .json)
            bytes.replaceSubrange(inside, with: spelled.spell(substitution.replace(spelled.text)))
            return
        case .collect:
            let text = SpelledText(Array(bytes[inside]), .json).text
            if kind != nil || !shapes.find(in: text).isEmpty { edited.holdsSecret(place) }
        case .judge:
            if edited.isEdited(place) {
                edited.judge(SpelledText(Array(bytes[inside]), .json).text, at: place, by: self)
            }
        // Letters replaced one by one have no checksum.
        case .report where isRedacted && kind != nil: return
        default: break
        }
        scalar(&bytes, node, kind: kind, Array(name.utf8))
    }

    /// Scans a diff of an object.
    private func diff(_ bytes: inout [UInt8], _ node: JSONDocument.Node, at place: DataPlace) {
        for member in node.members {
            let name = member.key.string ?? ""
            let place = place.member(name)
            let operation = member.value
            key(&bytes, member.key)
            guard operation.kind == .object, let content = operation["v"] else {
                json(&bytes, operation, named: Array(name.utf8))
                continue
            }
            let isName = !name.isEmpty && !name.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let called =
                isName ? name : String(place.path.split(separator: "/").last { $0 != "*" } ?? "")
            switch (operation["o"]?.string, content.kind) {
            case ("d", .string): delta(&bytes, content, at: place, named: called)
            case ("O", .object), ("L", .object): diff(&bytes, content, at: place)
            default: data(&bytes, content, at: place, named: called)
            }
        }
    }

    /// Scans a string delta: what it inserts.
    private func delta(
        _ bytes: inout [UInt8], _ node: JSONDocument.Node, at place: DataPlace, named name: String
    ) {
        let kind = places.kind(.member, name.utf8)
        let inside = node.range.lowerBound + 1..<node.range.upperBound - 1
        let spelled = SpelledText(Array(bytes[inside]), .json)
        var text = spelled.text
        if case .collect = purpose {
            edited.edit(place)
            if kind != nil { edited.holdsSecret(place) }
        }
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: 0x09) ?? text.count
            if text[start] == 0x2B, start + 1 < end {
                insertion(&text, start + 1..<end, at: place, kind)
            }
            start = end + 1
        }
        if text != spelled.text { bytes.replaceSubrange(inside, with: spelled.spell(text)) }
    }

    private func insertion(
        _ text: inout [UInt8], _ range: Range<Int>, at place: DataPlace, _ kind: SecretKind?
    ) {
        let spelled = SpelledText(Array(text[range]), .percent)
        switch purpose {
        case .replace where edited.isSecret(place):
            let replaced = spelled.spell(substitution.replace(spelled.text))
            text.replaceSubrange(range, with: replaced)
            return
        case .collect:
            if !shapes.find(in: spelled.text).isEmpty { edited.holdsSecret(place) }
        case .judge:
            if store.isIn(spelled.text) { edited.holdsSecret(place) }
        case .report where isRedacted && kind != nil: return
        default: break
        }
        value(&text, range, .percent)
    }
}
