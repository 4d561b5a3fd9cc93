import Wire

/// What shows that a client recovered, or that it did what it must not.
struct Evidence {
    var at: Instant
    var how: String
    var exchange: ExchangeID?
    var command: CommandID?
    /// The message that the command came in.
    var message: MessageID?
    var outcome = FaultVerdict.Outcome.recovered
    /// Whether something later may take it back.
    var isTentative = false

    /// Whether it is the very thing that a fault was done to.
    func isOwn(of fault: JudgedFault) -> Bool {
        if let message { return message == fault.message }
        return exchange != nil && exchange == fault.exchange && fault.message == nil
    }

    /// The same, that something later may take back.
    var tentatively: Evidence {
        var evidence = self
        evidence.isTentative = true
        return evidence
    }

    /// The same as proof of the contrary.
    func against(_ how: String) -> Evidence {
        var evidence = self
        evidence.how = how
        evidence.outcome = .notRecovered
        return evidence
    }
}
