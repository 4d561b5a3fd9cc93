public import Notation
import Wire

/// Which cases explain that a device's hash is not the predicted one.
///
/// The XOR of the two hashes is the MD5 of the one case that differs, or the XOR of two such; it is
/// compared with every case identifier that was ever seen.
/// Source: OpenRosa/Specification.md#state-hash.
public enum CaseStateExplanation: Hashable, Sendable {
    /// A case on which device and prediction differ.
    public struct Difference: Hashable, Sendable {
        /// Identifier of the case.
        public var caseID: String
        /// Whether it was predicted, and the device lacks it; else the device has it in addition.
        public var isMissingOnDevice: Bool

        /// A difference with these values.
        public init(_ caseID: String, isMissingOnDevice: Bool) {
            self.caseID = caseID
            self.isMissingOnDevice = isMissingOnDevice
        }
    }

    /// The hashes agree.
    case same
    /// One case.
    case one(Difference)
    /// Two cases; other pairs explain it as well where there are several.
    case two([Pair])
    /// Neither one nor two of the cases seen.
    case unknown

    /// Two cases that together explain the difference.
    public struct Pair: Hashable, Sendable {
        /// The one that was seen first.
        public var first: Difference
        /// The other.
        public var second: Difference
    }

    /// The maximum number of pairs that are kept.
    public static let maxPairs = 16

    /// Looks for the one or two cases.
    ///
    /// Takes time and memory linear in the number of identifiers.
    ///
    /// - Parameters:
    ///   - sent: The hash of the device.
    ///   - predicted: The hash that was expected.
    ///   - predictedIDs: The cases of the prediction.
    ///   - seen: Identifiers of all cases that came by in either direction, in order; those of the
    ///     prediction are added.
    /// - Returns: The case or the pairs of cases that differ; one is preferred.
    public static func explain(
        sent: CaseStateHash, predicted: CaseStateHash, predictedIDs: Set<ExactText>,
        seen: some Sequence<String>
    ) -> CaseStateExplanation {
        let goal = sent.difference(from: predicted)
        guard goal != .zero else { return .same }
        var digests: [CaseStateHash.Digest: Int] = [:]
        var ids: [(id: ExactText, digest: CaseStateHash.Digest)] = []
        func add(_ id: ExactText) {
            let digest = CaseStateHash.Digest(of: id.string)
            guard digests[digest] == nil else { return }
            digests[digest] = ids.count
            ids.append((id, digest))
        }
        for id in seen { add(ExactText(id)) }
        for id in predictedIDs.sorted(by: {
            $0.string.utf8.lexicographicallyPrecedes($1.string.utf8)
        }) {
            add(id)
        }
        func difference(_ place: Int) -> Difference {
            Difference(
                ids[place].id.string, isMissingOnDevice: predictedIDs.contains(ids[place].id))
        }
        if let place = digests[goal] { return .one(difference(place)) }
        var pairs: [Pair] = []
        for (place, entry) in ids.enumerated() where pairs.count < maxPairs {
            if let other = digests[entry.digest ^ goal], other > place {
                pairs.append(Pair(first: difference(place), second: difference(other)))
            }
        }
        return pairs.isEmpty ? .unknown : .two(pairs)
    }
}
