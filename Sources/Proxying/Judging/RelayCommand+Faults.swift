import Wire

extension [RelayCommand] {
    /// Says of each fault whether its bytes follow it in these commands.
    ///
    /// They are recorded together, so that what is said here does not depend on when they are written.
    mutating func placeFaults() {
        var following: Set<Peer> = []
        for index in indices.reversed() {
            switch self[index] {
            case .record(.chunk(let chunk)): following.insert(chunk.sender)
            case .record(.fault(var fault)):
                fault.isAhead = fault.sender.map(following.contains) ?? !following.isEmpty
                if !fault.isAhead { self[index] = .record(.fault(fault)) }
            default: break
            }
        }
    }
}
