internal import Notation
internal import Wire

/// The JSON that a server answers a heartbeat with: which versions a device should have.
///
/// Source: OpenRosa/Specification.md#json-answers (`HeartbeatRequester` of CommCare Android).
public struct HeartbeatAnswer: Hashable, Sendable {
    /// A version that a device should have.
    public struct Version: Hashable, Sendable {
        /// The version, such as `2.53.1`.
        public var value: String
        /// Whether a device must not continue without it; nil where it is not stated.
        public var isForced: Bool?

        /// A version with these values.
        public init(_ value: String, isForced: Bool? = nil) {
            self.value = value
            self.isForced = isForced
        }
    }

    /// Why a body is no such answer.
    public enum Problem: Error, Hashable, Sendable {
        /// No JSON object; `offset` in bytes is where it stops being one.
        case notAnObject(offset: Int)
        /// A member has a value of another kind than it should; `offset` in bytes is where.
        case wrongKind(key: String, offset: Int)
        /// More than 64 KiB.
        case tooLong
    }

    /// Application that the answer is about; a device skips the answer for another.
    public var appID: String?
    /// Version of CommCare.
    public var apkVersion: Version?
    /// Version of the application that runs in it.
    public var appVersion: Version?
    /// Whether the device sends its logs at once.
    public var forcesLogs: Bool?
    /// Whether the device does nothing in the background.
    public var disablesBackgroundWork: Bool?
    /// Names of members that are unknown to clients, in order.
    public var others: [String] = []

    /// An empty answer.
    public init() {}

    /// Reads a body; of a repeated member the last counts.
    ///
    /// - Throws: ``Problem``, with the offset in bytes.
    public init(parsing bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= 1 << 16 else { throw .tooLong }
        let root: JSONDocument.Node
        do throws(JSONError) {
            root = try JSONDocument.scan(bytes).root
        } catch {
            throw .notAnObject(offset: error.offset)
        }
        guard root.kind == .object else { throw .notAnObject(offset: root.range.lowerBound) }
        for member in root.members {
            let name = member.key.string ?? ""
            let value = member.value
            switch name {
            case "app_id":
                guard let text = value.string else { throw Self.wrong(name, value) }
                appID = text
            case "latest_apk_version": apkVersion = try Self.version(value, name)
            case "latest_ccz_version": appVersion = try Self.version(value, name)
            case "force_logs": forcesLogs = try Self.flag(value, name)
            case "disable_background_work": disablesBackgroundWork = try Self.flag(value, name)
            default: others.append(name)
            }
        }
    }

    /// Whether a device with this application applies the answer.
    public func concerns(appID: String) -> Bool {
        self.appID.map { ExactText($0) == ExactText(appID) } ?? false
    }

    /// The JSON of the answer, without ``others``.
    public var text: String {
        func object(_ version: Version) -> JSONValue {
            var members = [JSONObject.Member("value", .string(version.value))]
            if let isForced = version.isForced {
                members.append(JSONObject.Member("force", .bool(isForced)))
            }
            return .object(JSONObject(members))
        }
        var members: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(JSONObject.Member(key, value)) }
        }
        add("app_id", appID.map { .string($0) })
        add("latest_apk_version", apkVersion.map(object))
        add("latest_ccz_version", appVersion.map(object))
        add("force_logs", forcesLogs.map { .bool($0) })
        add("disable_background_work", disablesBackgroundWork.map { .bool($0) })
        return JSONValue.object(JSONObject(members)).text()
    }

    private static func version(
        _ node: JSONDocument.Node, _ name: String
    ) throws(Problem) -> Version? {
        if node.kind == .null { return nil }
        guard node.kind == .object else { throw wrong(name, node) }
        guard let value = node["value"] else { return nil }
        // A version may come as a number; its text is the version.
        guard let text = value.string ?? (value.kind == .number ? value.text : nil) else {
            throw wrong("\(name).value", value)
        }
        guard let force = node["force"] else { return Version(text) }
        return Version(text, isForced: try flag(force, "\(name).force"))
    }

    /// A boolean, which may come as the string `true` or `false`.
    private static func flag(_ node: JSONDocument.Node, _ name: String) throws(Problem) -> Bool? {
        switch (node.kind, node.string) {
        case (.true, _), (_, "true"): true
        case (.false, _), (_, "false"): false
        case (.null, _), (_, ""): nil
        default: throw wrong(name, node)
        }
    }

    private static func wrong(_ name: String, _ node: JSONDocument.Node) -> Problem {
        .wrongKind(key: name, offset: node.range.lowerBound)
    }
}
