import Dissection
import Notation
import Simperium
import Wire

/// Objects as a server sent them: data, and the changes since, applied when data are sent again.
struct SimperiumServerObjects: Sendable {
    /// Data that differ from the expected ones.
    struct Difference {
        var reported: [UInt8]
        var expected: [UInt8]
        /// Version of the data that were sent before.
        var base: Int64
        var command: CommandEvidence
        /// Changes between that and what was sent.
        var steps: Int
    }

    private struct ID: Hashable {
        var bucket: SimperiumServerChannel.BucketID
        var key: SimperiumName
    }

    private struct Step {
        var ev: Int64
        var change: Int
        var command: CommandEvidence
    }

    private struct Object {
        var version: Int64
        var command: CommandEvidence
        /// Its data; nil for those of an object before its first change, which it has none.
        var data: Range<Int>?
        var steps: [Step] = []

        var head: Int64 { steps.last?.ev ?? version }
    }

    private var objects: [ID: Object] = [:]
    /// Bytes of commands that are held, at most.
    private var held = 0

    private static let maxHeld = 16 << 20
    private static let maxSteps = 32
    private static let maxObjects = 20_000

    /// Takes data of a version, and compares them with the expected ones.
    mutating func check(
        _ bucket: SimperiumServerChannel.BucketID, _ key: SimperiumName, _ version: Int64,
        _ command: CommandEvidence, _ data: Range<Int>
    ) -> Difference? {
        guard let text = command.said?.text, data.upperBound <= text.count else { return nil }
        let id = ID(bucket: bucket, key: key)
        let known = objects[id]
        if known.map({ version >= $0.head }) ?? true {
            hold(text.count)
            if objects[id] != nil || objects.count < Self.maxObjects {
                objects[id] = Object(version: version, command: command, data: data)
            }
        }
        guard let known, let old = known.command.said?.text,
            (known.data?.upperBound ?? 0) <= old.count, version >= known.version
        else { return nil }
        if version == known.version, let before = known.data, text[data] == old[before] {
            return nil
        }
        guard let reported = Self.value(text, data),
            var expected = known.data.map({ Self.value(old, $0) }) ?? JSONValue.object(JSONObject())
        else {
            return nil
        }
        var count = 0
        if version != known.version {
            guard known.steps.contains(where: { $0.ev == version }) else { return nil }
            for step in known.steps where step.ev <= version {
                guard let next = Self.apply(step, to: expected) else { return nil }
                expected = next
                count += 1
            }
        }
        guard reported != expected, !reported.isSame(as: expected) else { return nil }
        return Difference(
            reported: Array(text[data]), expected: expected.bytes(), base: known.version,
            command: known.command, steps: count)
    }

    /// Takes a change that was sent.
    mutating func take(
        _ bucket: SimperiumServerChannel.BucketID, _ change: SimperiumChange<Range<Int>>,
        _ place: Int,
        _ command: CommandEvidence
    ) {
        guard let name = change.key else { return }
        let id = ID(bucket: bucket, key: SimperiumName(name))
        guard let index = objects.index(forKey: id) else {
            begin(id, change, place, command)
            return
        }
        guard change.operation == .modify, let ev = change.ev else {
            objects.remove(at: index)
            return
        }
        let head = objects.values[index].head
        guard ev > head else { return }
        guard change.sv == head, change.value != nil,
            objects.values[index].steps.count < Self.maxSteps
        else {
            objects.remove(at: index)
            return
        }
        guard hold(command.said?.text.count ?? 0) else { return }
        objects.values[index].steps.append(Step(ev: ev, change: place, command: command))
    }

    /// An object that a change makes.
    private mutating func begin(
        _ id: ID, _ change: SimperiumChange<Range<Int>>, _ place: Int, _ command: CommandEvidence
    ) {
        guard change.operation == .modify, change.sv ?? 0 == 0, change.ev == 1,
            change.value != nil, objects.count < Self.maxObjects
        else { return }
        hold(command.said?.text.count ?? 0)
        objects[id] = Object(
            version: 0, command: command, data: nil,
            steps: [Step(ev: 1, change: place, command: command)])
    }

    /// Counts bytes that are held.
    ///
    /// - Returns: Whether there was room, so that nothing was forgotten.
    @discardableResult
    private mutating func hold(_ bytes: Int) -> Bool {
        held += bytes
        guard held > Self.maxHeld else { return true }
        objects = [:]
        held = bytes
        return false
    }

    private static func value(_ text: [UInt8], _ range: Range<Int>) -> JSONValue? {
        (try? JSONDocument.scan(text, in: range)).map { JSONValue($0.root) }
    }

    private static func apply(_ step: Step, to value: JSONValue) -> JSONValue? {
        guard let said = step.command.said, case .changes(let changes) = said.command.body,
            changes.indices.contains(step.change)
        else { return nil }
        return changes[step.change].byOperations.object(in: said.text) { _ in value }
    }
}
