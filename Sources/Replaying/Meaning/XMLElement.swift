internal import OpenRosa

/// An element of a document as it is compared: without prefixes, comments and the white space
/// between elements.
public struct XMLElement: Hashable, Sendable {
    /// An attribute.
    public struct Attribute: Hashable, Sendable {
        /// Local name.
        public var name: String
        /// Namespace of its prefix.
        public var namespace: String?
        /// The value.
        public var value: String
    }

    /// The contents of an element.
    public enum Content: Hashable, Sendable {
        /// An element.
        case element(XMLElement)
        /// Text.
        case text(String)
    }

    /// Local name.
    public var name: String
    /// Namespace.
    public var namespace: String?
    /// Attributes, by name.
    public var attributes: [Attribute]
    /// Elements and text, in order.
    public var content: [Content]

    /// The maximum number of elements and attributes of a document that is read as structure.
    public static let maxNodes = 2_000_000

    /// The root of a document without what is left out.
    ///
    /// Nil where it is not well formed, deeper than 256 elements, larger than ``maxNodes``, or
    /// left out itself.
    static func read(_ bytes: some Collection<UInt8>, _ leftOut: LeftOut) -> XMLElement? {
        let builder = XMLTreeBuilder(leftOut)
        let stream = XMLStream(handler: builder, limits: XMLLimits(depth: 256))
        do {
            try stream.feed(Array(bytes).span)
            try stream.finish()
        } catch {
            return nil
        }
        return builder.isTooLarge ? nil : builder.root
    }
}

/// Makes the tree out of the events of the reader.
private final class XMLTreeBuilder: XMLEventHandler {
    private let leftOut: LeftOut
    private var open: [XMLElement] = []
    private var path: [String] = []
    private var count = 0
    var root: XMLElement?

    init(_ leftOut: LeftOut) { self.leftOut = leftOut }

    var isTooLarge: Bool { count > XMLElement.maxNodes }

    func start(_ tag: borrowing XMLTag) {
        count += 1 + tag.count
        guard !isTooLarge else { return }
        let name = tag.name
        path.append(name.local)
        var element = XMLElement(
            name: name.local, namespace: name.namespace, attributes: [], content: [])
        for index in 0..<tag.count {
            let name = tag.name(at: index)
            path.append("@\(name.local)")
            defer { path.removeLast() }
            if leftOut.droppedXML.matches(path) { continue }
            let value = leftOut.maskedXML.matches(path) ? LeftOut.mark : tag.value(at: index)
            element.attributes.append(
                .init(name: name.local, namespace: name.namespace, value: value))
        }
        element.attributes.sort { ($0.name, $0.namespace ?? "") < ($1.name, $1.namespace ?? "") }
        open.append(element)
    }

    func end(_ tag: borrowing XMLTag) {
        guard !isTooLarge, var element = open.popLast() else { return }
        defer { path.removeLast() }
        if leftOut.droppedXML.matches(path) { return }
        if leftOut.maskedXML.matches(path) {
            element.content = [.text(LeftOut.mark)]
        } else if element.content.contains(where: \.isElement) {
            element.content.removeAll(where: \.isSpace)
        }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].content.append(.element(element))
        }
    }

    func text(_ bytes: borrowing Span<UInt8>) {
        guard !isTooLarge, !open.isEmpty else { return }
        let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let last = open.count - 1
        if case .text(let before)? = open[last].content.last {
            open[last].content[open[last].content.count - 1] = .text(before + text)
        } else {
            open[last].content.append(.text(text))
        }
    }
}

extension XMLElement.Content {
    fileprivate var isElement: Bool {
        if case .element = self { true } else { false }
    }

    fileprivate var isSpace: Bool {
        guard case .text(let text) = self else { return false }
        return text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
}
