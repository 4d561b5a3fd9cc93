public import Notation
public import SyncServers

/// What there is at the end of a scenario: on the server, and for a second client.
public struct EndState: Sendable {
    /// What a second client of the same user sees.
    public struct View: Hashable, Sendable {
        /// The data of each object that it was asked for and has, by key.
        public var objects: [String: JSONValue]
        /// Identifiers of its cases.
        public var cases: Set<String>

        /// A view with these objects and cases.
        public init(objects: [String: JSONValue] = [:], cases: Set<String> = []) {
            self.objects = objects
            self.cases = cases
        }
    }

    /// The objects on the server, removed ones too.
    public var objects: [HeldObject]
    /// The forms on the server.
    public var forms: [HeldForm]
    /// The cases on the server.
    public var cases: [HeldCase]
    /// What a second client sees; nil where none was asked.
    public var view: View?

    /// A state with these values.
    public init(
        objects: [HeldObject] = [], forms: [HeldForm] = [], cases: [HeldCase] = [],
        view: View? = nil
    ) {
        self.objects = objects
        self.forms = forms
        self.cases = cases
        self.view = view
    }

    /// How it differs from what a scenario asks for, in sentences; empty where it does not.
    ///
    /// - Parameters:
    ///   - expected: The end of the scenario.
    ///   - isRefused: Whether the scenario refuses changes, so that some data never gets there.
    /// - Returns: What is missing first, then what is different, then what nobody made.
    public func differences(from expected: ExpectedEnd, isRefused: Bool) -> [String] {
        objectDifferences(expected, isRefused: isRefused) + formDifferences(expected)
            + caseDifferences(expected) + viewDifferences(expected)
    }

    private func objectDifferences(_ expected: ExpectedEnd, isRefused: Bool) -> [String] {
        var missing: [String] = []
        var different: [String] = []
        var unknown: [String] = []
        let held = Dictionary(objects.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        for (key, data) in expected.objects.sorted(by: { $0.key < $1.key }) {
            guard let there = held[key]?.data else {
                missing.append(
                    "\(key) is not on the server: expected \(JSONDifference.short(data))")
                continue
            }
            guard !there.isSame(as: data) else { continue }
            different.append(
                "\(key) differs on the server: \(JSONDifference.text(from: data, to: there))")
        }
        for object in objects where expected.objects[object.key] == nil {
            guard let made = expected.made[object.key] else {
                let data = object.data.map { ": \(JSONDifference.short($0))" } ?? ", and removed"
                unknown.append("\(object.key) was made, which no step asks for\(data)")
                continue
            }
            if let data = object.data {
                let again = made.isEmpty ? "" : " again"
                different.append(
                    "\(object.key) is\(again) on the server, and was to be removed: "
                        + JSONDifference.short(data))
            }
        }
        // What two clients mix, and what comes in pieces after a refusal, has states of its own.
        if !isRefused {
            for object in objects where !expected.shared.contains(object.key) {
                guard let made = expected.made[object.key],
                    object.data == nil || different.isEmpty,
                    let odd = object.versions.first(where: { version in
                        !made.contains { $0.isSame(as: version) }
                    })
                else { continue }
                unknown.append(
                    "\(object.key) was meanwhile \(JSONDifference.short(odd)), which no step asks for"
                )
            }
        }
        return missing + different + unknown
    }

    private func formDifferences(_ expected: ExpectedEnd) -> [String] {
        let held = Dictionary(forms.map { ($0.instanceID, $0.count) }, uniquingKeysWith: +)
        var found: [String] = []
        for form in expected.forms {
            switch held[form.instanceID] ?? 0 {
            case 0:
                if !form.isOptional { found.append("\(form.name) is not on the server") }
            case 1: break
            case let count:
                found.append(
                    "\(form.name) is \(count) times on the server, each time with other bytes")
            }
        }
        let known = Set(expected.forms.map(\.instanceID))
        // A claim is a form of the server.
        guard !expected.hasClaims else { return found }
        for form in forms where !known.contains(form.instanceID) {
            found.append(
                "a form is on the server, which no step submits: its instanceID is \(form.instanceID)"
            )
        }
        return found
    }

    private func caseDifferences(_ expected: ExpectedEnd) -> [String] {
        let held = Dictionary(cases.map { ($0.id, $0.isClosed) }, uniquingKeysWith: { $1 })
        var found: [String] = []
        for (id, isClosed) in expected.cases.sorted(by: { $0.key < $1.key }) {
            guard let there = held[id] else {
                found.append("the case \(id) is not on the server")
                continue
            }
            if there != isClosed {
                found.append(
                    "the case \(id) is \(there ? "closed" : "open") on the server, "
                        + "and was to be \(isClosed ? "closed" : "open")")
            }
        }
        guard !expected.hasClaims else { return found }
        for one in cases where !expected.possibleCases.contains(one.id) {
            found.append("the case \(one.id) is on the server, which no form makes")
        }
        return found
    }

    private func viewDifferences(_ expected: ExpectedEnd) -> [String] {
        guard let view else { return [] }
        var found: [String] = []
        for object in objects {
            switch (view.objects[object.key], object.data) {
            case (nil, nil): break
            case (nil, let data?):
                found.append(
                    "a second client does not see \(object.key), which is on the server: "
                        + JSONDifference.short(data))
            case (let seen?, nil):
                found.append(
                    "a second client sees \(object.key), which was removed: "
                        + JSONDifference.short(seen))
            case (let seen?, let data?):
                guard !seen.isSame(as: data) else { continue }
                found.append(
                    "a second client sees another \(object.key) than the server has: "
                        + JSONDifference.text(from: data, to: seen))
            }
        }
        for id in expected.ownCases.sorted()
        where !view.cases.contains(id) && cases.contains(where: { $0.id == id && !$0.isClosed }) {
            found.append("a second device does not see the case \(id), which is on the server")
        }
        return found
    }
}
