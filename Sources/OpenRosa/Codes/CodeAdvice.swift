/// What a status code means to a client, and what the client must do next.
public struct CodeAdvice: Hashable, Sendable {
    /// What the client does with what it sent or requested.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Nothing more: it is done.
        case done
        /// The same request again after `Retry-After`.
        case poll
        /// One full sync without sync token, after which local state is replaced.
        case recover
        /// A sync, as what the device has is out of date.
        case sync
        /// The same request to the address given, where it is on the same host.
        case follow
        /// The form is put aside and never sent again; others continue.
        case quarantine
        /// The form is kept, the queue continues.
        case hold
        /// The same again later, with growing pauses.
        case backOff = "back-off"
        /// Nothing of this kind is sent until a pause is over.
        case coolDown = "cool-down"
        /// The user is shown the problem and decides.
        case tellUser = "tell-user"
        /// New credentials, once.
        case authenticate
        /// The form is not accepted, and kept.
        case keep

        /// What it is, in one sentence.
        public var detail: String {
            switch self {
            case .done: "Nothing more: it is done."
            case .poll: "The same request again after Retry-After."
            case .recover: "One full sync without sync token, after which local state is replaced."
            case .sync: "A sync, as what the device has is out of date."
            case .follow: "The same request to the address given, where it is on the same host."
            case .quarantine: "The form is set aside and never sent again; others continue."
            case .hold: "The form is kept, the queue continues."
            case .backOff: "The same again later, with growing pauses."
            case .coolDown: "Nothing of this kind is sent until a pause has elapsed."
            case .tellUser: "The user is shown the problem and decides."
            case .authenticate: "New credentials, once."
            case .keep: "The form is not accepted, and kept."
            }
        }
    }

    /// Status code; 0 means a request that got no response.
    public var status: Int
    /// The requests it is about; nil for all.
    public var group: OpenRosaAPI.Group?
    /// `nature` of the message that it is about; nil for any or none.
    public var nature: String?
    /// What it means, in one sentence.
    public var means: String
    /// What a client must do next, in one sentence.
    public var next: String
    /// The same as a value.
    public var action: Action
    /// Whether it is published for CommCare; else it is the practice of servers and clients:
    /// OpenRosa/Specification.md#response-codes.
    public var isSpecified: Bool
}
