extension SecretWalk {
    /// Scans the XML (or HTML) in `range`: text by the element around it, attributes by their
    /// names.
    ///
    /// Reads what is not well-formed as well; nothing is loaded and no entity expanded.
    ///
    /// - Returns: Whether it has at least one tag.
    func xml(_ bytes: inout [UInt8], _ range: Range<Int>) -> Bool {
        var scanner = MarkupScanner(bytes, range)
        var isMarkup = false
        /// What the text of the open elements is, by their names.
        var kinds: [SecretKind?] = []
        var names: [String] = []
        /// Lists of forms and of media have names that are not of persons.
        var isList = false
        while let piece = scanner.next() {
            switch piece {
            case .text(let range), .literal(let range):
                let name = names.last ?? ""
                // What an index of a case names is the identifier of another.
                let isIdentifier =
                    RedactionPlaces.isIdentifier(name.utf8) || names.dropLast().last == "index"
                var spelling = Spelling.xml
                if case .literal = piece { spelling = .plain }
                value(
                    &bytes, range, spelling, kind: text(bytes, range, kinds.last ?? nil),
                    ground: isIdentifier ? .structure : .value, name: "element \(name)")
            case .comment(let range): value(&bytes, range, .plain)
            case .end:
                isMarkup = true
                _ = names.popLast()
                _ = kinds.popLast()
            case .start(let tag):
                isMarkup = true
                let name = bytes[tag.name]
                if names.isEmpty {
                    let root = String(decoding: name, as: UTF8.self)
                    isList = root == "xforms" || root == "forms" || root == "manifest"
                }
                var kind = places.kind(.element, name)
                // <data key="first_name">: its name is in an attribute.
                for attribute in tag.attributes
                where ["key", "name", "id"].contains(
                    String(decoding: bytes[attribute.name], as: UTF8.self))
                {
                    let called = bytes[attribute.value]
                    kind = kind ?? places.kind(.element, called) ?? places.kind(.parameter, called)
                }
                if isList, kind == .person { kind = nil }
                for attribute in tag.attributes { self.attribute(&bytes, attribute, of: kind) }
                guard !tag.isEmpty, names.count < Self.deepestXML else { continue }
                names.append(String(decoding: name, as: UTF8.self))
                kinds.append(kind)
            }
        }
        return isMarkup
    }

    /// The maximum number of open elements whose names are kept: 1,024.
    ///
    /// Text in what is deeper counts as that of the last of them.
    private static let deepestXML = 1_024

    /// White space between elements is not a secret.
    private func text(_ bytes: [UInt8], _ range: Range<Int>, _ kind: SecretKind?) -> SecretKind? {
        bytes[range].allSatisfy { $0 <= 0x20 } ? nil : kind
    }

    private func attribute(
        _ bytes: inout [UInt8], _ attribute: MarkupScanner.Attribute, of element: SecretKind?
    ) {
        let name = String(decoding: bytes[attribute.name], as: UTF8.self)
        let isStructure =
            name == "xmlns" || attribute.isPrefixed || name == "key" || name == "name"
            || RedactionPlaces.isIdentifier(bytes[attribute.name])
        let kind =
            isStructure
            ? nil
            : name == "value" ? element : places.kind(.element, bytes[attribute.name])
        value(
            &bytes, attribute.value, .xml, kind: kind, ground: isStructure ? .structure : .value,
            name: "attribute \(name)")
    }
}
