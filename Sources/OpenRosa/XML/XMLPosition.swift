/// A place in an XML document.
public struct XMLPosition: Hashable, Sendable, CustomStringConvertible {
    /// Offset in bytes from the first byte of the document as sent, a byte order mark included.
    ///
    /// In the document's own encoding: a character of UTF-16 counts 2 or 4.
    public var offset: Int64
    /// Line, from 1; a line ends with a line feed.
    public var line: Int
    /// Column in Unicode scalars, from 1.
    public var column: Int

    /// The place at these coordinates.
    public init(offset: Int64, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The first byte of a document.
    public static let start = XMLPosition(offset: 0, line: 1, column: 1)

    /// `line 3, column 7, byte 120`.
    public var description: String { "line \(line), column \(column), byte \(offset)" }
}
