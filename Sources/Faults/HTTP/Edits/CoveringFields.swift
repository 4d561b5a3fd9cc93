import Framing

/// What in a message says something about its content or its head that an edit makes untrue.
///
/// Digests: RFC 1864, RFC 3230, RFC 9530. Signatures: RFC 9421, and the schemes of Authorization that
/// sign a request. Tapedeck has no key to sign with, and leaves digests as the sender made them.
enum CoveringFields {
    /// Fields with a digest or signature of the content.
    private static let digests: Set<String> = [
        "content-md5", "digest", "content-digest", "repr-digest", "x-amz-content-sha256",
        "x-hub-signature", "x-hub-signature-256", "x-signature", "x-goog-hash",
    ]
    /// Schemes that sign a request, in lower case.
    private static let signing = [
        "aws4-", "aws ", "hmac", "hawk", "oauth", "signature", "sharedkey", "digest",
    ]

    /// Fields that may have a signature of the head.
    private static let coveringHead = [
        "signature", "signature-input", "authorization", "proxy-authorization",
    ]

    /// A note on what no longer fits after an edit; nil where nothing is known to.
    ///
    /// - Parameters:
    ///   - part: What was changed; nil for the server that a request is sent to.
    ///   - edited: The name of the header field that was changed; nil for another part.
    ///   - head: The head as sent.
    ///   - api: What the exchange is for.
    /// - Returns: One line of text.
    static func note(
        on part: EditedPart?, named edited: String? = nil, in head: HTTPHead, api: String
    ) -> String? {
        let isContent = part?.isOfHead == false
        guard isContent || coveringHead.contains(where: { head.first($0) != nil }) else {
            return nil
        }
        var names: [String] = []
        for field in head.fields {
            let name = head.text(field.name)
            let key = name.lowercased()
            guard key != edited?.lowercased(), !names.contains(name) else { continue }
            let value = head.text(field.value)
            if isContent ? coversContent(key, value) : coversHead(key, value) { names.append(name) }
        }
        var notes: [String] = []
        if !names.isEmpty {
            let list = names.joined(separator: ", ")
            notes.append("\(list) no longer fit\(names.count == 1 ? "s" : "") the message")
        }
        if isContent, head.role == .response, api == "commcare.restore" {
            notes.append(
                "the state hash that the client makes of its cases may differ from the server's")
        }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    private static func coversContent(_ key: String, _ value: String) -> Bool {
        switch key {
        case "x-amz-content-sha256" where value.hasPrefix("UNSIGNED"): false
        case "etag": !value.hasPrefix("W/")
        default:
            digests.contains(key) || key.hasPrefix("x-amz-checksum-") || coversHead(key, value)
        }
    }

    private static func coversHead(_ key: String, _ value: String) -> Bool {
        switch key {
        case "signature", "signature-input": true
        case "authorization", "proxy-authorization":
            signing.contains { value.lowercased().hasPrefix($0) }
        default: false
        }
    }
}
