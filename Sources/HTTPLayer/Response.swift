/// The outcome of a request.
public struct Response: Sendable {
    /// The head of the last answer.
    public struct Metadata: Sendable {
        /// The status.
        public let status: Int
        /// The header fields as received, duplicates included.
        public let headers: [(name: String, value: String)]
        /// The url that answered, after redirects.
        public let finalURL: String
        /// Where a redirect that was not followed leads to; nil for other answers.
        public let redirectURL: String?

        /// A head.
        public init(
            status: Int, headers: [(name: String, value: String)], finalURL: String,
            redirectURL: String? = nil
        ) {
            self.redirectURL = redirectURL
            self.status = status
            self.headers = headers
            self.finalURL = finalURL
        }

        /// The value of the first field with this name, in any case.
        public subscript(header: String) -> String? {
            headers.first { FieldName.isSame($0.name, header) }?.value
        }
    }

    /// The head of the last answer; nil where none was received.
    public let metadata: Metadata?
    /// The body, after content coding; empty where it went to a file.
    public let data: [UInt8]
    /// Why there is no whole answer; nil for an answer with any status.
    public let error: HTTPError?
    /// The tag of the request.
    public let requestTag: String?
    /// Attempts made; 0 where it never began.
    public let attempts: Int

    /// Whether there is a whole answer with a status of 200 to 299.
    public var isSuccess: Bool {
        guard error == nil, let metadata else { return false }
        return (200...299).contains(metadata.status)
    }

    /// A response; callers make some in their tests.
    public init(
        metadata: Metadata?, data: [UInt8] = [], error: HTTPError? = nil,
        requestTag: String? = nil, attempts: Int = 1
    ) {
        self.metadata = metadata
        self.data = data
        self.error = error
        self.requestTag = requestTag
        self.attempts = attempts
    }
}
