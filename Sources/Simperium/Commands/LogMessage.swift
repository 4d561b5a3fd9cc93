/// The payload of a client's `log`.
///
/// Source: Simperium/Specification.md#remote-logging.
public struct LogMessage: Hashable, Sendable {
    /// What is logged; nil where it is missing.
    public var text: String?
    /// The bucket, which the client for Android adds.
    public var bucket: String?

    /// A message with these values.
    public init(text: String?, bucket: String? = nil) {
        self.text = text
        self.bucket = bucket
    }
}
