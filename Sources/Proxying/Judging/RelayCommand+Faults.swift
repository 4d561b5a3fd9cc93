import Wire

extension [RelayCommand] {
    /// Says of each fault whether its bytes follow it in these commands.
    ///
    /// They are recorded together, so that what is said here does not depend on when they are written.
    mutating func placeFaults() {
        guard contains(where: \.statesFault) else { return }
        var (fromClient, fromServer) = (false, false)
        for index in indices.reversed() {
            switch self[index] {
            case .record(.chunk(let chunk)):
                if chunk.sender == .client { fromClient = true } else { fromServer = true }
            case .record(.fault(var fault)):
                fault.isAhead =
                    switch fault.sender {
                    case .client: fromClient
                    case .server: fromServer
                    case nil: fromClient || fromServer
                    }
                if !fault.isAhead { self[index] = .record(.fault(fault)) }
            default: break
            }
        }
    }
}

extension RelayCommand {
    fileprivate var statesFault: Bool {
        if case .record(.fault) = self { true } else { false }
    }
}
