internal import Wire

/// The state of what one side of a connection sends.
struct TLSSide: Sendable {
    /// What the records of a side are encrypted with.
    enum Phase: Hashable, Sendable {
        /// Nothing.
        case plain
        /// The handshake secret, in TLS 1.3.
        case handshake
        /// In TLS 1.3 an application secret, in TLS 1.2 the one there is.
        case application
    }

    /// Cuts the stream into records.
    var reader = TLSRecordReader()
    /// Joins them to messages of the handshake.
    var handshake = TLSHandshakeReader()
    /// What its records are encrypted with.
    var phase = Phase.plain
    /// What opens its records in this phase, once the keys were there.
    var opener: TLSOpener?
    /// Whole records that passed since one was opened, or since the phase began.
    var passed = 0
    /// Bytes that passed since then, captured or not.
    var skipped: Int64 = 0

    /// Whether its hello will not come, or not be read.
    var isHelloLost = false
    /// Whether it was reported that its stream is not TLS.
    var isNoted = false

    /// What waits for the hello of the other side.
    var held: [TLSRecordReader.Item] = []
    /// Bytes of all that waits.
    var heldCount = 0

    /// Bytes that could not be read since the last record that was.
    var unread: TLSSealed?
    /// When the bytes that belong to no record began, until they are reported.
    var tornUnixNanoseconds: Int64?
    /// Bytes that may still be decrypted without success.
    var budget = TLSStream.searchLimit
}
