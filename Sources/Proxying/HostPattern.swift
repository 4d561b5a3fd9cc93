/// A host name or a family of them, as `--only` and `--passthrough` take it.
public struct HostPattern: Hashable, Sendable {
    private let name: [UInt8]
    private let isSuffix: Bool

    /// `example.org` matches that host alone, `*.example.org` every host below it.
    public init(_ text: String) {
        let lower = text.lowercased()
        isSuffix = lower.hasPrefix("*.")
        name = Array((isSuffix ? String(lower.dropFirst()) : lower).utf8)
    }

    /// Whether `host`, in lower case, is meant.
    public func matches(_ host: String) -> Bool {
        let bytes = Array(host.utf8)
        guard isSuffix else { return bytes == name }
        return bytes.count > name.count && bytes.suffix(name.count).elementsEqual(name)
    }
}
