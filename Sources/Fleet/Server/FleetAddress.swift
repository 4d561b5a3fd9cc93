internal import Notation

/// Where a fleet's tables are: `clickhouse://[USER@]HOST[:PORT]/[DATABASE][?OPTIONS]`.
///
/// Options: `secure=true` for TLS, `ca=FILE` for an authority to trust besides the system's,
/// `cluster=NAME` where the tables are sharded over a cluster, `replicated=true` where each of its
/// shards has replicas.
public struct FleetAddress: Hashable, Sendable, CustomStringConvertible {
    /// Name or address of the server.
    public var host: String
    /// TCP port of its HTTP interface: 8123, or 8443 with TLS.
    public var port: Int
    /// The database with the tables.
    public var database: String
    /// The user.
    public var user: String
    /// Whether TLS is used.
    public var isSecure: Bool
    /// A PEM file with authorities to trust; nil for the system's.
    public var caFile: String?
    /// The cluster over which tables are sharded; nil for a single server.
    public var cluster: String?
    /// Whether the tables of a shard are replicated.
    public var isReplicated: Bool

    /// The scheme of such an address.
    public static let scheme = "clickhouse://"

    /// Reads an address.
    ///
    /// - Throws: ``FleetError`` with code `usage`.
    public init(parsing text: String) throws(FleetError) {
        func wrong(_ reason: String) -> FleetError {
            FleetError(
                .usage,
                "\(text) is no address of a fleet: \(reason); write clickhouse://[USER@]HOST[:PORT]/DATABASE"
            )
        }
        guard text.hasPrefix(Self.scheme) else {
            throw FleetError(
                .usage,
                "this is no address of a fleet: it does not begin with clickhouse://; write clickhouse://[USER@]HOST[:PORT]/DATABASE"
            )
        }
        var rest = text.dropFirst(Self.scheme.count)
        var options: [(name: String, value: String)] = []
        if let mark = rest.firstIndex(of: "?") {
            for pair in rest[rest.index(after: mark)...].split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                options.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : "true"))
            }
            rest = rest[..<mark]
        }
        var database = "tapedeck"
        if let slash = rest.firstIndex(of: "/") {
            let name = rest[rest.index(after: slash)...]
            if !name.isEmpty { database = String(name) }
            rest = rest[..<slash]
        }
        user = "default"
        if let at = rest.lastIndex(of: "@") {
            user = String(rest[..<at])
            rest = rest[rest.index(after: at)...]
            guard !user.contains(":") else {
                throw FleetError(
                    .usage,
                    "a password in an address is seen by all users of the machine; put it in the variable TAPEDECK_FLEET_PASSWORD or in the file that --password-file names"
                )
            }
            guard !user.isEmpty else { throw wrong("the user has no name") }
        }
        guard Self.isName(database) else {
            throw wrong("a database is named with letters, digits and _ alone")
        }
        self.database = database
        isSecure = false
        isReplicated = false
        for (name, value) in options {
            switch name {
            case "secure": isSecure = value != "false" && value != "0"
            case "replicated": isReplicated = value != "false" && value != "0"
            case "ca": caFile = value
            case "cluster":
                guard Self.isName(value) else {
                    throw wrong("a cluster is named with letters, digits and _ alone")
                }
                cluster = value
            default:
                throw wrong("it has no option \(name); there are secure, ca, cluster, replicated")
            }
        }
        port = isSecure ? 8443 : 8123
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw wrong("a ] is missing") }
            host = String(rest[...end])
            rest = rest[rest.index(after: end)...]
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
        }
        guard !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x25 && $0 != 0x23 })
        else { throw wrong("it has no host") }
        if rest.hasPrefix(":") {
            guard let number = Int(rest.dropFirst()), (1...65535).contains(number) else {
                throw wrong("\(rest.dropFirst()) is no port")
            }
            port = number
        } else if !rest.isEmpty {
            throw wrong("\(rest) follows the host")
        }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
            } && !(text.utf8.first.map { $0 < 0x40 } ?? true)
    }

    /// HOST:PORT.
    public var place: String { "\(host):\(port)" }

    /// The address without options.
    public var description: String { "\(Self.scheme)\(place)/\(database)" }

    /// Where queries are sent to.
    var url: String { "\(isSecure ? "https" : "http")://\(place)/" }
}
