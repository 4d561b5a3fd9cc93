public import Wire

/// Something that happened to the sockets of one connection.
public enum RelayEvent: Hashable, Sendable {
    /// Bytes came on a leg, after TLS.
    case received(LegID, [UInt8])
    /// A server leg is ready to be written to: connected, and TLS is up where it was asked for.
    case ready(LegID)
    /// A server leg could not be made ready.
    case refused(LegID, String)
    /// The peer of a leg will send no more.
    case ended(LegID)
    /// A leg is closed; whether it was reset, and why for people.
    case closed(LegID, isReset: Bool, String)
    /// TLS is up on the client's leg.
    case clientSecured
    /// Something about a leg that only the trace has to know, with the particulars.
    case noted(LegID, EventRow.Kind, String)
}
