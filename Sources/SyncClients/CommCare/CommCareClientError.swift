internal import Storage

/// Why the CommCare client cannot continue.
public enum CommCareClientError: Error, Hashable, Sendable {
    /// The state cannot be read or written.
    case storage(String)
    /// Another program uses the state.
    case busy(String)
    /// The state belongs to another user, or is damaged.
    case wrongState(String)
    /// What is to be submitted cannot be.
    case badForm(String)

    /// What happened and what to do.
    public var reason: String {
        switch self {
        case .storage(let text), .busy(let text), .wrongState(let text), .badForm(let text): text
        }
    }

    init(_ fault: StorageFault) {
        if fault.isBusy {
            self = .busy("the state is in use by another program; wait until it ends")
        } else if fault.isDisk {
            self = .storage("the state cannot be written: \(fault.message); make room")
        } else if fault.primary == 26 || fault.primary == 11 {
            self = .wrongState("the state cannot be used: \(fault.message)")
        } else {
            self = .storage("the state cannot be used: \(fault)")
        }
    }
}
