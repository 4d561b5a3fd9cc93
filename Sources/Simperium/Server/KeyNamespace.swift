import Notation

/// How keys are written on the wire: as they are, or with the namespace that `o` exposes.
///
/// Observed in the client for iOS: with `expose_namespace`, keys are exchanged as `namespace/key`.
struct KeyNamespace {
    private let prefix: String

    init(_ options: ChannelOptions?) {
        let name = options?.exposesNamespace == true ? options?.namespace ?? "" : ""
        prefix = name.isEmpty ? "" : name + "/"
    }

    /// A key as clients see it.
    func outer(_ key: String) -> String { prefix + key }

    /// A change as clients see it.
    func outer(_ change: SimperiumChange<JSONValue>) -> SimperiumChange<JSONValue> {
        guard !prefix.isEmpty, change.operation != .empty else { return change }
        var change = change
        change.key = change.key.map(outer)
        return change
    }

    /// The key that a client means; nil where it is outside of the namespace.
    func inner(_ key: String) -> String? {
        guard !prefix.isEmpty else { return key }
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(key.utf8.dropFirst(prefix.utf8.count)))
    }
}
