public import Yams

/// Reads YAML whose aliases stay within a bound.
///
/// An alias expands to all that its anchor has, aliases included, so that a few hundred bytes can
/// expand to billions of values; the library visits all of them where one is the key of a mapping,
/// to find duplicate keys.
public enum BoundedYAML {
    /// How many values aliases may add to a document.
    public static let maximumAdded = 100_000

    /// What is at the top of the only document of `text`; nil where that is empty.
    ///
    /// - Throws: `YamlError`, of kind `composer` at the place of the first alias that is too much.
    public static func compose(_ text: String) throws -> Node? {
        try check(text)
        return try Yams.compose(yaml: text)
    }

    /// Replaces the asterisk of an alias, which makes it a scalar.
    private static let mark: Unicode.Scalar = "\u{E000}"

    /// Counts what aliases expand to, in a copy of the text without aliases.
    ///
    /// Every asterisk is replaced, whatever it is, so that no alias is missed: elsewhere than at
    /// the start of a plain scalar it is not one, and changes a text that is not used.
    private static func check(_ text: String) throws {
        let scalars = text.unicodeScalars
        guard scalars.contains("*"), scalars.contains("&") else { return }
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: scalars.lazy.map { $0 == "*" ? mark : $0 })
        let parser = try Parser(yaml: String(plain))
        var count = Count()
        // Nodes do not keep their anchors; the parser does.
        try withExtendedLifetime(parser) {
            if let root = try parser.singleRoot() { _ = count.size(of: root) }
        }
        guard let place = count.excess else { return }
        throw YamlError.composer(
            context: nil,
            problem: "aliases (*NAME) expand to more than \(maximumAdded) values; write the values "
                + "in their place",
            place, yaml: text)
    }

    /// Sizes of what has an anchor, in the order of the document.
    private struct Count {
        private var sizes: [String: Int] = [:]
        private var added = 0
        /// Where the bound was passed.
        private(set) var excess: Mark?

        /// How many values a node has, aliases expanded.
        mutating func size(of node: Node) -> Int {
            var size = 1
            switch node {
            case .scalar(let scalar):
                if scalar.style == .plain, scalar.string.unicodeScalars.first == BoundedYAML.mark {
                    size = meant(by: scalar)
                }
            case .sequence(let sequence):
                for element in sequence { size = Self.sum(size, self.size(of: element)) }
            case .mapping(let mapping):
                for (key, value) in mapping {
                    size = Self.sum(size, self.size(of: key))
                    size = Self.sum(size, self.size(of: value))
                }
            case .alias: break
            }
            if let anchor = node.anchor { sizes[anchor.rawValue] = size }
            return size
        }

        /// How many values an alias expands to.
        private mutating func meant(by scalar: Node.Scalar) -> Int {
            let name = scalar.string.unicodeScalars.dropFirst().prefix {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                    || $0 == "-" || $0 == "_"
            }
            let size = sizes[String(String.UnicodeScalarView(name))] ?? 1
            added = Self.sum(added, size)
            if added > BoundedYAML.maximumAdded, excess == nil {
                // A parsed node has its place.
                excess = scalar.mark
            }
            return size
        }

        private static func sum(_ a: Int, _ b: Int) -> Int {
            let (sum, isFar) = a.addingReportingOverflow(b)
            return isFar ? .max : sum
        }
    }
}
