extension TLSFailure {
    /// Stands in for the table that the program has beside NIO's errors.
    static func name(alert code: UInt8) -> String { "alert \(code)" }
}
