import Notation
public import OpenRosa
internal import Wire

/// The properties of an answer that determine the next step.
public struct CommCareAnswer: Hashable, Sendable {
    /// The status; 0 where there was no answer.
    public var status: Int
    /// Whether the body is a well-formed `OpenRosaResponse`.
    public var isResponse = false
    /// `nature` of its message.
    public var nature: String?
    /// What to show: the message, the translation of a 406, or why there is no answer.
    public var text = ""
    /// Seconds of `Retry-After`.
    public var retryAfter: Int64?
    /// How far the restore is.
    public var progress: OpenRosaDocument.Progress?
    /// Where a redirect leads to.
    public var redirect: String?
    /// Whether the server is unreachable, so that another address may help.
    public var isUnreachable = false

    /// An answer with this status.
    public init(status: Int) { self.status = status }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - retryAfter: Value of `Retry-After`.
    ///   - body: The body; of a restore that came, nothing.
    ///   - now: Seconds since 1970, for a date.
    ///   - translations: Texts by key, for 406.
    public init(
        status: Int, retryAfter: String? = nil, body: [UInt8] = [], now: Int64,
        translations: [String: String] = [:]
    ) {
        self.status = status
        switch retryAfter.flatMap(RetryAfter.parse) {
        case .seconds(let seconds): self.retryAfter = Int64(seconds)
        case .date(let date): self.retryAfter = max(0, date.unixSeconds - now)
        case nil: break
        }
        if status == 406 {
            text = ActionableAnswer(body).message(translations: translations)
            return
        }
        let document = OpenRosaReader.read(body)
        isResponse = document.root == "OpenRosaResponse" && document.problem == nil
        if isResponse {
            nature = document.nature
            text = document.message ?? ""
            progress = document.progress
        } else {
            text = String(decoding: body.prefix(300), as: UTF8.self)
        }
    }
}
