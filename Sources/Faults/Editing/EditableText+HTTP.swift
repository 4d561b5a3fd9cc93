import Framing
public import Wire

extension EditableText {
    /// The text of a request or response: its head, an empty line, and its content, decoded.
    ///
    /// - Parameters:
    ///   - bytes: The whole message as it is framed.
    ///   - sender: The client for a request, the server for a response.
    ///   - method: That of the request which a response answers; nil where it is unknown.
    /// - Returns: The text.
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public static func text(
        ofHTTP bytes: [UInt8], from sender: Peer, answering method: String? = nil
    ) throws(EditableTextError) -> String {
        EditableMessage(try FramedMessage(bytes, from: sender, answering: method)).text
    }

    /// The message of an edited text.
    ///
    /// It is framed as the original was, unless the text has other fields for that: with the length
    /// that is right, or in one chunk and the trailer fields. Content that was edited is in its content
    /// coding again, in blocks that store it as it is. Lines that were not edited stay as sent.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - original: The message of which the text was made.
    ///   - sender: The client for a request, the server for a response.
    ///   - method: That of the request which a response answers; nil where it is unknown.
    /// - Returns: The message; `original` where nothing was edited.
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public static func http(
        _ text: String, inPlaceOf original: [UInt8], from sender: Peer,
        answering method: String? = nil
    ) throws(EditableTextError) -> [UInt8] {
        let message = EditableMessage(
            try FramedMessage(original, from: sender, answering: method))
        var lines = EditedLines(text)
        let form = try remarks(&lines) ?? message.content.form
        let head = try message.head(&lines, from: sender)
        let content = try message.content.read(lines, as: form)
        let edited = EditedMessage(
            head: head, content: content, contentLine: lines.number, method: method)
        return try message.framed(edited, from: sender)
    }
}
