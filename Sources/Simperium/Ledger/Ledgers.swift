internal import Notation
internal import Wire

/// Ledgers of several buckets within the limits of one.
///
/// When there are too many buckets, or too much is held of them together, the least recently
/// used bucket is evicted.
public struct Ledgers: Sendable {
    /// The maximum number of buckets.
    public static let maxBuckets = 64

    private let limits: Ledger.Limits
    private var ledgers: [ExactText: Ledger] = [:]
    private var recency = Recency()

    /// Ledgers without any bucket.
    public init(limits: Ledger.Limits = Ledger.Limits()) { self.limits = limits }

    /// The ledger of a bucket; nil where it has none.
    public subscript(bucket: String) -> Ledger? { ledgers[ExactText(bucket)] }

    /// Processes the next command.
    ///
    /// - Parameters:
    ///   - command: A command, in the order in which commands were sent.
    ///   - message: The message it was read from.
    ///   - bucket: The bucket of its channel.
    public mutating func see(_ command: SimperiumCommand, in message: [UInt8], bucket: String) {
        let name = ExactText(bucket)
        ledgers[name, default: Ledger(limits: limits)].see(command, in: message)
        recency.touch(name)
        while ledgers.count > 1, isTooMuch, let oldest = recency.removeOldest() {
            ledgers[oldest] = nil
        }
    }

    private var isTooMuch: Bool {
        ledgers.count > Self.maxBuckets
            || ledgers.values.reduce(0) { $0 + $1.bytes } > limits.bytes
            || ledgers.values.reduce(0) { $0 + $1.count } > limits.objects
    }
}
