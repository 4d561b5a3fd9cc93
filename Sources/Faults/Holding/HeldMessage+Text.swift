import Framing
import Wire

/// The form in which somebody changes a held message.
extension HeldMessage {
    /// The message as a text: ``EditableText``.
    ///
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public var text: String {
        get throws(EditableTextError) {
            switch content {
            case .request: try EditableText.text(ofHTTP: bytes, from: .client)
            case .response(_, let request):
                try EditableText.text(ofHTTP: bytes, from: .server, answering: request.method)
            case .command: EditableText.text(ofCommand: bytes, from: sender)
            case .message: EditableText.text(ofMessage: bytes)
            }
        }
    }

    /// The message that an edited text stands for.
    ///
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public func bytes(of text: String) throws(EditableTextError) -> [UInt8] {
        switch content {
        case .request: try EditableText.http(text, inPlaceOf: bytes, from: .client)
        case .response(_, let request):
            try EditableText.http(
                text, inPlaceOf: bytes, from: .server, answering: request.method)
        case .command: try EditableText.command(text, inPlaceOf: bytes, from: sender)
        case .message(let isText):
            try EditableText.message(text, inPlaceOf: bytes, isText: isText)
        }
    }

    /// What its sender gets in the receiver's place, as a text stands for it: a response to a request,
    /// the text of a command, the payload of a message.
    ///
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public func answer(of text: String) throws(EditableTextError) -> [UInt8] {
        switch content {
        case .request(let head):
            return try EditableText.http(
                text, inPlaceOf: Self.emptyResponse, from: .server, answering: head.method)
        case .response:
            throw EditableTextError("a response is not answered; edit it, or drop it")
        case .command: return try EditableText.command(text, inPlaceOf: [], from: sender.other)
        case .message(let isText):
            return try EditableText.message(text, inPlaceOf: [], isText: isText)
        }
    }

    private static let emptyResponse = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
}
