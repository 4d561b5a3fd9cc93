/// The result of an attempt.
struct TransferOutcome: Sendable {
    var metadata: Response.Metadata?
    var data: [UInt8] = []
    var error: HTTPError?

    /// What of it the queue needs.
    var result: AttemptResult {
        if let error { return .failed(isTransient: error.isTransient) }
        return .answered(status: metadata?.status ?? 0)
    }
}
