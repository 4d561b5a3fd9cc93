/// Why a message has no text to be edited, or why an edited text is no message.
public struct EditableTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the text, from 1; nil where the message is meant as a whole.
    public let line: Int?
    /// The character in its line, from 1; nil where the whole line is meant.
    public let column: Int?
    /// What is wrong, and what to write in its place.
    public let message: String

    /// An error at a place, or without one.
    public init(line: Int? = nil, column: Int? = nil, _ message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    /// The error with its place, in one line.
    public var description: String {
        guard let line else { return message }
        guard let column else { return "line \(line): \(message)" }
        return "line \(line), column \(column): \(message)"
    }
}
