internal import Storage

/// Why a client cannot continue.
public enum SimperiumClientError: Error, Hashable, Sendable {
    /// The state cannot be read or written.
    case storage(String)
    /// Another program uses the state.
    case busy(String)
    /// The state belongs to something else, or is damaged.
    case wrongState(String)
    /// The TLS settings are invalid.
    case trust(String)

    /// What happened and what to do.
    public var reason: String {
        switch self {
        case .storage(let reason), .busy(let reason), .wrongState(let reason), .trust(let reason):
            reason
        }
    }

    init(_ fault: StorageFault, folder: String? = nil) {
        let place = folder.map { "the state in \($0)" } ?? "the state"
        if fault.isBusy {
            self = .busy("\(place) is in use by another program; wait until it ends")
        } else if fault.isDisk {
            self = .storage("\(place) cannot be written: \(fault.message); make room")
        } else if fault.primary == 26 || fault.primary == 11 {
            self = .wrongState("\(place) is invalid: \(fault.message)")
        } else {
            self = .storage("\(place) cannot be used: \(fault)")
        }
    }
}
