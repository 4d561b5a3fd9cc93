internal import Certification
internal import Notation
internal import Replaying
internal import Sessions
internal import Simperium
internal import Trace

/// The objects that steps leave behind, where only they decide.
enum ExpectedObjects {
    /// The JSON text of each object by its key, nil where it is removed.
    ///
    /// An object that others changed as well after a step is left out: what comes of both is the
    /// clients' to merge.
    static func all(after steps: [Step]) -> [String: String?] {
        var objects: [String: String?] = [:]
        for step in steps {
            switch step {
            case .set(let key, let data): objects[key] = .some(data)
            case .delete(let key): objects[key] = .some(nil)
            case .waitFor(let key, _): objects[key] = nil
            default: break
            }
        }
        return objects
    }

    /// The objects that are not on the server as a reproduction asks for, by the traffic of a test.
    ///
    /// - Throws: ``SessionError`` and ``TraceError`` where the trace cannot be read.
    static func differences(
        from reproduction: Reproduction, in trace: String
    ) throws -> [RetestResult.Difference] {
        guard !reproduction.objects.isEmpty else { return [] }
        let reading = try SessionStateReading.read(StateReader(path: trace), upto: .end)
        guard let bucket = reading.state.buckets.first(where: { $0.name == reproduction.bucket })
        else { return [] }
        return reproduction.objects.sorted { $0.key < $1.key }.compactMap { key, text in
            guard let difference = difference(text, bucket.object(key), bucket.isComplete) else {
                return nil
            }
            return RetestResult.Difference(key: key, text: "\(key) \(difference)")
        }
    }

    private static func difference(
        _ text: String?, _ object: Ledger.Object?, _ isComplete: Bool
    ) -> String? {
        guard let text, let expected = try? JSONValue(parsing: text) else {
            return object == nil ? nil : "is on the server, and was to be removed"
        }
        guard let object else { return isComplete ? "is not on the server" : nil }
        guard let data = object.value, !data.isSame(as: expected) else { return nil }
        return "differs on the server: \(JSONDifference.text(from: expected, to: data))"
    }
}
