/// Words that mean something to the protocols, so that a secret which is one of them is replaced
/// only where it was found.
enum ProtocolWords {
    /// The words, in lower case.
    static let all = Set(
        """
        true false null none undefined unknown default public private client server message \
        receiver submission restore phone heartbeat session websocket simperium commcare \
        commcarehq openrosa token password username secret cookie email device deviceid \
        anonymous accept content application multipart encoding chunked gzip deflate identity \
        keep-alive upgrade connection submit_success submit_error success error create update \
        close index registration response default_response authorize authorization basic bearer \
        digest localhost mobile android iphone browser patient mother father household case_type \
        case_name owner_id external_id date_opened
        """.split(separator: " ").map(String.init))
}
