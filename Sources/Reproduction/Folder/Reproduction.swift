package import Certification
package import Notation

/// What a client is to be tested with so that it shows whether it still has a bug, as it stands in
/// `reproduction.json`.
package struct Reproduction: Hashable, Sendable {
    /// The rule that was broken.
    package var rule: String
    /// The fingerprint of the finding, which is equal for another client at another time.
    package var fingerprint: String
    /// Its place among the findings of this rule and fingerprint, from 1 on.
    package var ordinal: Int
    /// What happened, and what was expected.
    package var detail: String
    package var expected: String
    /// The protocol.
    package var suite: Suite.Name
    /// The application or project, the bucket (empty for CommCare), and the user.
    package var app: String
    package var bucket: String
    package var user: String
    /// What has to happen so that the client can break the rule; all of them.
    package var triggers: [Trigger]
    /// The JSON text of each object that the steps leave behind, by key; nil where it is removed.
    package var objects: [String: String?]
    /// The names of the files of forms that have to be stored.
    package var forms: [String]
    /// Seconds after which the client is ended.
    package var limitSeconds: Double
    /// Seconds after which each duty counts as not done; nil for the deadlines of the rules.
    package var patienceSeconds: Double?
    /// Whether the built-in client keeps the rule in it; nil where that was not tried.
    package var isVerified: Bool?

    /// Names of the files in the folder.
    package static let file = "reproduction.json"
    package static let recording = "session.tape"
    package static let script = "script.jsonl"
    package static let readme = "README.md"
    package static let plan = "faults.txt"

    /// A mistake in the file.
    package struct Mistake: Error, Hashable, Sendable {
        /// What is wrong, in one line.
        package let reason: String
    }

    /// The contents of the file.
    package var json: JSONValue {
        func member(_ name: String, _ value: JSONValue) -> JSONObject.Member {
            JSONObject.Member(name, value)
        }
        func number(_ value: Double) -> JSONValue {
            .number(value == value.rounded() ? String(Int64(value)) : String(value))
        }
        var members: [JSONObject.Member] = [
            member("rule", .string(rule)), member("fingerprint", .string(fingerprint)),
            member("ordinal", .number(String(ordinal))), member("finding", .string(detail)),
            member("expected", .string(expected)), member("suite", .string(suite.rawValue)),
            member("app", .string(app)), member("bucket", .string(bucket)),
            member("user", .string(user)),
            member(
                "trigger",
                .array(
                    triggers.map {
                        .object(
                            JSONObject([
                                member("filter", .string($0.filter)),
                                member("count", .number(String($0.count))),
                                member("what", .string($0.detail)),
                            ]))
                    })),
            member(
                "objects",
                .object(
                    JSONObject(
                        objects.sorted { $0.key < $1.key }.map { key, text in
                            member(key, text.flatMap { try? JSONValue(parsing: $0) } ?? .null)
                        }))),
            member("forms", .array(forms.map { .string($0) })),
            member("limit_s", number(limitSeconds)),
        ]
        if let patienceSeconds { members.append(member("patience_s", number(patienceSeconds))) }
        if let isVerified { members.append(member("verified", JSONValue.bool(isVerified))) }
        return .object(JSONObject(members))
    }

    /// Reads the contents of the file.
    ///
    /// - Throws: ``Mistake`` where something is missing or of another kind.
    package init(parsing text: String) throws(Mistake) {
        guard let json = try? JSONValue(parsing: text) else {
            throw Mistake(reason: "it is not JSON")
        }
        func field(_ name: String) throws(Mistake) -> String {
            guard let value = json[name]?.string else {
                throw Mistake(reason: "\"\(name)\" is missing, or no text")
            }
            return value
        }
        func number(_ value: JSONValue?) -> Double? {
            if case .number(let text)? = value { Double(text) } else { nil }
        }
        rule = try field("rule")
        fingerprint = try field("fingerprint")
        ordinal = Int(number(json["ordinal"]) ?? 1)
        detail = try field("finding")
        expected = try field("expected")
        guard let suite = Suite.Name(rawValue: try field("suite")) else {
            throw Mistake(reason: "\"suite\" is neither simperium nor commcare")
        }
        self.suite = suite
        app = try field("app")
        bucket = try field("bucket")
        user = try field("user")
        triggers = []
        guard case .array(let all)? = json["trigger"] else {
            throw Mistake(reason: "\"trigger\" is missing, or no list")
        }
        for one in all {
            guard let filter = one["filter"]?.string, let count = number(one["count"]),
                1...1e9 ~= count
            else { throw Mistake(reason: "a trigger has a filter and a count of 1 or more") }
            triggers.append(
                Trigger(filter: filter, count: Int(count), detail: one["what"]?.string ?? filter))
        }
        objects = [:]
        if case .object(let object)? = json["objects"] {
            for member in object.members {
                if case .null = member.value {
                    objects[member.key.string] = .some(nil)
                } else {
                    objects[member.key.string] = .some(member.value.text())
                }
            }
        }
        forms = []
        if case .array(let names)? = json["forms"] { forms = names.compactMap(\.string) }
        guard let limit = number(json["limit_s"]), 0.1...1e6 ~= limit else {
            throw Mistake(reason: "\"limit_s\" is missing, or no number of seconds above 0")
        }
        limitSeconds = limit
        patienceSeconds = number(json["patience_s"])
        if case .bool(let value)? = json["verified"] { isVerified = value }
    }

    /// A reproduction with these values.
    package init(
        rule: String, fingerprint: String, ordinal: Int, detail: String, expected: String,
        suite: Suite.Name, app: String, bucket: String, user: String, triggers: [Trigger],
        objects: [String: String?] = [:], forms: [String] = [], limitSeconds: Double,
        patienceSeconds: Double? = nil, isVerified: Bool? = nil
    ) {
        self.rule = rule
        self.fingerprint = fingerprint
        self.ordinal = ordinal
        self.detail = detail
        self.expected = expected
        self.suite = suite
        self.app = app
        self.bucket = bucket
        self.user = user
        self.triggers = triggers
        self.objects = objects
        self.forms = forms
        self.limitSeconds = limitSeconds
        self.patienceSeconds = patienceSeconds
        self.isVerified = isVerified
    }
}
