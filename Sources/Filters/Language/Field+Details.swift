extension Field {
    /// Type, subjects, phase, case rule and meaning.
    public var details: FieldDetails {
        switch self {
        case .kind, .id, .session, .connection, .at, .size, .body, .text, .note, .problem,
            .fault, .verdict, .intervention, .finding, .undecided, .fate, .recorder, .label:
            sharedDetails
        case .api, .method, .scheme, .host, .port, .path, .query, .url, .version, .device,
            .requestSize, .requestHeader, .requestBody:
            requestDetails
        case .status, .reason, .outcome, .duration, .local, .responseSize, .retryAfter, .header,
            .responseHeader, .responseBody, .document, .nature, .xmlns, .instance, .syncToken:
            responseDetails
        case .sender, .payload, .command, .channel, .bucket, .app, .key, .cv, .error, .ccid,
            .clientid, .operation, .sv, .ev, .opcode, .closeCode:
            messageDetails
        }
    }

    private static let every: [FilterSubject] = [.exchange, .command, .message]

    /// A field of exchanges alone.
    private static func exchange(
        _ kind: FieldDetails.Kind, _ since: FilterPhase, ignoresCase: Bool = false,
        values: [String]? = nil, _ sentence: String
    ) -> FieldDetails {
        FieldDetails(
            kind, [.exchange], since: since, ignoresCase: ignoresCase, values: values, sentence)
    }

    private var sharedDetails: FieldDetails {
        switch self {
        case .kind:
            FieldDetails(
                .text, Self.every, since: .connection, ignoresCase: true,
                values: FilterSubject.allCases.map(\.rawValue),
                "The kind: an exchange, a command or a message.")
        case .id:
            FieldDetails(
                .integer, Self.every, since: .requestHead, "Number within its kind, from 1.")
        case .session:
            FieldDetails(.integer, Self.every, since: .connection, "Number of the session.")
        case .connection:
            FieldDetails(
                .integer, Self.every, since: .connection, "Number of the client connection.")
        case .at:
            FieldDetails(
                .duration, Self.every, since: .requestHead,
                "Time since the start of the session: of the first byte of a request or message, "
                    + "of the last byte of a command's message.")
        case .size:
            FieldDetails(
                .size, Self.every, since: .responseBody,
                "Bytes of content: both bodies on the wire, the payload of a command, the "
                    + "inflated payload of a message.")
        case .body:
            FieldDetails(
                .body, Self.every, since: .responseBody,
                "Decoded content: either body of an exchange, the payload of a command or message.")
        case .text:
            FieldDetails(
                .words, Self.every, since: .responseBody,
                "Words of the content; of a command, those of its whole message.")
        case .note:
            FieldDetails(
                .text, Self.every, since: .responseBody,
                "Code of a note on the bytes, such as http.two-lengths.")
        case .fault:
            FieldDetails(
                .text, Self.every,
                "Name of the rule of a fault that was applied to it; of a command, to its message. "
                    + "Only in a trace.")
        case .intervention:
            FieldDetails(
                .text, Self.every,
                "Name of any rule that did something to it, whether to break it or to edit, map or "
                    + "hold it; of a command, to its message. Only in a trace.")
        case .verdict:
            FieldDetails(
                .text, Self.every, ignoresCase: true,
                values: ["recovered", "not-recovered", "undecided"],
                "Whether the client recovered from such a fault, once that was judged. Only in a "
                    + "trace.")
        case .fate:
            FieldDetails(
                .text, Self.every, ignoresCase: true,
                values: ["same", "altered", "lost", "late", "repeated", "synthesized"],
                "What became of it between its sender and its receiver. Only in a trace.")
        case .finding:
            FieldDetails(
                .text, Self.every,
                "Rule of a finding that it shows, and its severity: error, warning or info; of a "
                    + "command, what its message shows. Only in a trace that was diagnosed.")
        case .recorder:
            FieldDetails(
                .text, Self.every,
                "Identifier of the recorder, a UUID in lower case. Only in a fleet.")
        case .label:
            FieldDetails(
                .text, Self.every,
                "Value of the label that is named, of its session. Only in a fleet.")
        case .undecided:
            FieldDetails(
                .text, Self.every,
                "Rule of which it could not be decided whether it was broken after this, since the "
                    + "recording ended; of a command, after its message. Only in a trace that was "
                    + "diagnosed.")
        default:
            FieldDetails(
                .text, Self.every, since: .responseBody,
                "Why it is not complete or could not be read, as text.")
        }
    }

    private var requestDetails: FieldDetails {
        switch self {
        case .api:
            Self.exchange(
                .text, .requestHead,
                "What the exchange is for: commcare.restore, simperium.socket, http ...")
        case .method:
            Self.exchange(.text, .requestHead, ignoresCase: true, "Request method.")
        case .scheme:
            Self.exchange(
                .text, .requestHead, ignoresCase: true, values: ["http", "https"],
                "Scheme; that of a WebSocket is the one of the HTTP it begins with.")
        case .host:
            Self.exchange(.text, .handshake, ignoresCase: true, "Host without port.")
        case .port:
            Self.exchange(.integer, .handshake, "TCP port of the server.")
        case .path:
            Self.exchange(.text, .requestHead, "Path without query, as sent.")
        case .query:
            Self.exchange(.text, .requestHead, "Query without the question mark, as sent.")
        case .url:
            Self.exchange(
                .text, .requestHead, "Absolute URL, without the default port of the scheme.")
        case .version:
            Self.exchange(.text, .requestHead, "HTTP version of the request line.")
        case .device:
            Self.exchange(.text, .requestHead, "Device id that the client sent.")
        case .requestSize:
            Self.exchange(.size, .requestBody, "Bytes of request content on the wire.")
        case .requestHeader:
            Self.exchange(.text, .requestHead, "Value of the request header that is named.")
        default:
            Self.exchange(.body, .requestBody, "Decoded content of the request.")
        }
    }

    private var responseDetails: FieldDetails {
        switch self {
        case .status:
            Self.exchange(.integer, .responseHead, "Status of the final response.")
        case .reason:
            Self.exchange(.text, .responseHead, "Reason phrase of the final response.")
        case .outcome:
            Self.exchange(
                .text, .responseBody, ignoresCase: true,
                values: ["open", "complete", "request-cut", "response-cut", "no-response"],
                "How far the exchange got.")
        case .duration:
            FieldDetails(
                .duration, [.exchange, .message], since: .responseBody,
                "Time from the first byte to the last, of request and response or of a message.")
        case .local:
            Self.exchange(.boolean, .responseHead, "Whether Tapedeck made the response.")
        case .responseSize:
            Self.exchange(.size, .responseBody, "Bytes of response content on the wire.")
        case .retryAfter:
            Self.exchange(.text, .responseHead, "Retry-After of the response, as sent.")
        case .header:
            Self.exchange(
                .text, .responseHead,
                "Value of the header that is named, of the request or the response.")
        case .responseHeader:
            Self.exchange(.text, .responseHead, "Value of the response header that is named.")
        case .responseBody:
            Self.exchange(.body, .responseBody, "Decoded content of the response.")
        case .document:
            Self.exchange(
                .text, .responseBody,
                "Kind of an OpenRosa document in a body: response, restore, form, actionable, "
                    + "form-list, manifest or xml.")
        case .nature:
            Self.exchange(.text, .responseBody, "Nature of an OpenRosa message.")
        case .xmlns:
            Self.exchange(.text, .responseBody, "Namespace of an OpenRosa document's root.")
        case .instance:
            Self.exchange(.text, .responseBody, "instanceID of a form.")
        default:
            Self.exchange(.text, .responseBody, "Sync token that a restore contains.")
        }
    }

    private var messageDetails: FieldDetails {
        switch self {
        case .sender:
            FieldDetails(
                .text, [.command, .message], ignoresCase: true, values: ["client", "server"],
                "Who sent it.")
        case .payload:
            FieldDetails(
                .body, [.command, .message],
                "What follows the name of a command; the decoded payload of a message.")
        case .command:
            FieldDetails(
                .text, [.command],
                "Name of the command: init, auth, i, e, cv, c, o, h, index ...; of an init the i or "
                    + "cv in its cmd as well.")
        case .channel:
            FieldDetails(.integer, [.command], "Channel; commands of the connection have none.")
        case .bucket:
            FieldDetails(.text, [.command], "Bucket that the channel was opened for.")
        case .app:
            FieldDetails(.text, [.command], "Application of the socket.")
        case .key:
            FieldDetails(.text, [.command], "Key of the object, of any change.")
        case .cv:
            FieldDetails(.text, [.command], "Change version, of the command or any change.")
        case .error:
            FieldDetails(.integer, [.command], "Error code, of the command or any change.")
        case .ccid:
            FieldDetails(
                .text, [.command], "Client change id of any change; several joined by spaces.")
        case .clientid:
            FieldDetails(.text, [.command], "Client that made any change.")
        case .operation:
            FieldDetails(.text, [.command], "Operation of any change: M, - or EMPTY.")
        case .sv:
            FieldDetails(.integer, [.command], "Source version of any change.")
        case .ev:
            FieldDetails(.integer, [.command], "End version of any change.")
        case .opcode:
            FieldDetails(
                .integer, [.message], "Opcode: 1 text, 2 binary, 8 close, 9 ping, 10 pong.")
        default:
            FieldDetails(.integer, [.message], "Code of a close message.")
        }
    }
}
