/// Why a document was refused, and where.
public struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Reason: Hashable, Sendable {
        /// It breaks the grammar of XML 1.0; `code` and `detail` are libxml2's.
        case malformed(code: Int, detail: String)
        /// It ends too early; `inside` is the innermost open element, nil outside of any.
        case truncated(inside: String?)
        /// There is not one byte.
        case empty
        /// It has a document type declaration, which is never processed.
        case doctype
        /// A byte that is not UTF-8, or does not exist in the encoding that was declared.
        case encoding
        /// An unsupported encoding, or one that contradicts the bytes.
        case unknownEncoding(String)
        /// A control character that XML 1.0 forbids.
        case controlCharacter(UInt8)
        /// More elements within each other than allowed.
        case tooDeep(limit: Int)
        /// A tag, comment, processing instruction or reference of more bytes than allowed.
        case tooLong(limit: Int)
        /// A tag with more attributes than allowed.
        case tooManyAttributes(limit: Int)
        /// More namespaces in scope than allowed.
        case tooManyNamespaces(limit: Int)
        /// More different names than allowed.
        case tooManyNames(limit: Int)
        /// More elements, comments and processing instructions than allowed.
        case tooManyElements(limit: Int)
        /// More attributes in all tags together than allowed.
        case tooManyAttributesInAll(limit: Int)

        /// Whether the document exceeds a limit of the decoder, and may be well formed.
        public var isBudget: Bool {
            switch self {
            case .tooDeep, .tooLong, .tooManyAttributes, .tooManyNamespaces, .tooManyNames,
                .tooManyElements, .tooManyAttributesInAll:
                true
            case .malformed, .truncated, .empty, .doctype, .encoding, .unknownEncoding,
                .controlCharacter:
                false
            }
        }
    }

    /// The kind of error.
    public var reason: Reason
    /// Where it was noticed.
    public var position: XMLPosition

    /// A refusal for `reason` at `position`.
    public init(_ reason: Reason, at position: XMLPosition) {
        self.reason = reason
        self.position = position
    }

    /// One line of text, such as `document type declaration refused at line 1, column 1, byte 0`.
    public var description: String { "\(reason.description) at \(position)" }
}

extension XMLError.Reason: CustomStringConvertible {
    /// The reason in words, without the place.
    public var description: String {
        switch self {
        case .malformed(_, let detail): "not well formed: \(detail)"
        case .truncated(let inside?): "document ends inside <\(inside)>"
        case .truncated(nil): "document ends too early"
        case .empty: "document is empty"
        case .doctype: "document type declaration refused"
        case .encoding: "byte is not valid in the encoding of the document"
        case .unknownEncoding(let name): "encoding \"\(name)\" is unknown or contradicts the bytes"
        case .controlCharacter(let value): "control character \(value) is not allowed in XML"
        case .tooDeep(let limit): "more than \(limit) elements within each other"
        case .tooLong(let limit): "tag, comment, instruction or reference of over \(limit) bytes"
        case .tooManyAttributes(let limit): "more than \(limit) attributes in one tag"
        case .tooManyNamespaces(let limit): "more than \(limit) namespaces in scope"
        case .tooManyNames(let limit): "more than \(limit) different names"
        case .tooManyElements(let limit): "more than \(limit) elements, comments and instructions"
        case .tooManyAttributesInAll(let limit): "more than \(limit) attributes in all tags"
        }
    }
}
