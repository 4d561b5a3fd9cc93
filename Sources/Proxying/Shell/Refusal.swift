/// Why a client gets a local answer in place of a server's.
public struct Refusal: Hashable, Sendable {
    /// Status of the answer.
    public let status: Int
    /// Its reason phrase.
    public let phrase: String
    /// What happened and what to do.
    public let detail: String

    /// The request came from this proxy itself, listening at `listener`.
    static func loop(_ listener: String) -> Refusal {
        Refusal(
            status: 508, phrase: "Loop Detected",
            detail:
                "this connection comes from tapedeck itself: --to, or what the client asked for, names the address that tapedeck listens on (\(listener)); name the server"
        )
    }

    /// There are too few file descriptors.
    static func exhausted(_ descriptors: DescriptorBudget) -> Refusal {
        Refusal(status: 503, phrase: "Service Unavailable", detail: descriptors.detail)
    }
}
