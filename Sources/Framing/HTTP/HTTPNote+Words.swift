extension HTTPNote {
    /// The note in one sentence.
    public var detail: String {
        switch self {
        case .bareLineFeed: "a line ends in LF without CR"
        case .bareCarriageReturn: "a CR is not followed by LF"
        case .leadingEmptyLine: "empty lines precede the start line"
        case .startLineSpace: "the parts of the start line are not separated by one space"
        case .method: "the method is not a token"
        case .target: "the request target has bytes that no URL has"
        case .noVersion: "the request line has no version"
        case .version: "the version is neither HTTP/1.0 nor HTTP/1.1"
        case .status: "the status is outside 100 to 599"
        case .spaceBeforeFields: "whitespace precedes the first field; that line is ignored"
        case .obsoleteFold: "a field value continues on the next line"
        case .spaceBeforeColon: "there is whitespace between a field's name and the colon"
        case .noColon: "a field line has no colon; it is ignored"
        case .fieldName: "a field's name is not a token"
        case .controlByte: "a field has a control byte"
        case .noHost: "an HTTP/1.1 request has no Host"
        case .twoHosts: "a request has more than one Host"
        case .hostDiffers: "Host and the request target name different servers"
        case .twoLengths:
            "both Content-Length and Transfer-Encoding: parsers may disagree where the message ends"
        case .repeatedLength: "Content-Length is given more than once, with the same value"
        case .differentLengths:
            "Content-Length is given with different values: parsers may disagree where the message "
                + "ends"
        case .lengthSyntax: "Content-Length is not just digits"
        case .lengthForbidden: "a length is given where there is no content"
        case .chunkedNotLast: "Transfer-Encoding does not end in chunked"
        case .transferCoding: "Transfer-Encoding names a coding that is not chunked"
        case .oldTransferEncoding: "an HTTP/1.0 message has Transfer-Encoding"
        case .chunkSize: "a chunk size is not just hexadecimal digits"
        case .chunkExtension: "the extensions of a chunk are no names with values"
        }
    }
}
