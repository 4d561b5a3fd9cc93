internal import Notation

/// The JSON of an entry, and its large contents.
struct HARDocument {
    private let document: JSONDocument
    private let contents: [Int: [UInt8]]

    /// An entry whose large contents were taken out of `document`; see ``HARContents/contents``.
    init(_ document: JSONDocument, contents: [Int: [UInt8]] = [:]) {
        self.document = document
        self.contents = contents
    }

    /// The outermost value.
    var root: JSONDocument.Node { document.root }

    /// The text of a string in UTF-8; nil for anything but a string.
    func content(_ node: JSONDocument.Node?) -> [UInt8]? {
        guard let node, node.kind == .string else { return nil }
        return contents[node.range.lowerBound] ?? node.string.map { Array($0.utf8) }
    }
}
