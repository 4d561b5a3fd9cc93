public import OpenRosa
public import Wire

/// The hash that a device sent of its cases, and that of the cases that it holds by the trace.
public struct SentStateMismatch: Hashable, Sendable {
    /// The hash that the device sent.
    public var sent: CaseStateHash
    /// The hash of the cases that it holds by what it received and submitted.
    public var expected: CaseStateHash
    /// The request with the hash.
    public var exchange: ExchangeID
    /// The cases that explain it, where one or two do.
    var explanation: CaseStateExplanation

    /// Cases that the device lacks by its hash; none where the difference is not explained by one
    /// or two cases, or by several pairs.
    public var missing: [String] { differences(isMissing: true) }

    /// Cases that the device has by its hash, and should not.
    public var additional: [String] { differences(isMissing: false) }

    private func differences(isMissing: Bool) -> [String] {
        let all: [CaseStateExplanation.Difference] =
            switch explanation {
            case .one(let one): [one]
            case .two(let pairs) where pairs.count == 1: pairs.flatMap { [$0.first, $0.second] }
            case .same, .two, .unknown: []
            }
        return all.filter { $0.isMissingOnDevice == isMissing }.map(\.caseID)
    }
}
