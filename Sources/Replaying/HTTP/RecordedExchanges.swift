public import Wire

/// The exchanges of a recording in their order: a collection of ``RecordedExchange`` that takes some
/// 40 bytes for each, and each method with host and path once.
public struct RecordedExchanges: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    /// An exchange as it is kept.
    ///
    /// Numbers are kept as what they are more than those of the first exchange, times as what they
    /// are more than its start.
    private struct Entry {
        /// High and low half of when it started, so that an entry takes 36 bytes.
        private var startedHalves: (UInt32, UInt32)
        var id: UInt32
        var connection: UInt32
        var responded: UInt32
        var ended: UInt32
        var target: UInt32
        /// Number of the query plus 1.
        var query: UInt32
        /// Status plus 1.
        var status: UInt16
        var api: UInt16

        var started: Int64 {
            Int64(bitPattern: UInt64(startedHalves.0) << 32 | UInt64(startedHalves.1))
        }

        init(
            started: Int64, id: UInt32, connection: UInt32, responded: UInt32, ended: UInt32,
            target: UInt32, query: UInt32, status: UInt16, api: UInt16
        ) {
            startedHalves = (
                UInt32(truncatingIfNeeded: started >> 32), UInt32(truncatingIfNeeded: started)
            )
            self.id = id
            self.connection = connection
            self.responded = responded
            self.ended = ended
            self.target = target
            self.query = query
            self.status = status
            self.api = api
        }
    }

    /// Bytes of the number of method and host before the path of a target.
    static let originSize = 3
    /// Represents no value.
    private static let none = UInt32.max
    /// Marks a value that does not fit: it is in ``far``.
    private static let elsewhere = UInt32.max - 1

    /// A value of an entry.
    private struct Slot: Hashable {
        var place: Int
        var field: UInt8
    }

    private var first: (id: Int64, connection: Int64) = (0, 0)
    private var far: [Slot: Int64] = [:]
    private var entries: [Entry] = []
    /// Methods and hosts, with a NUL between them.
    private var origins = TextTable()
    /// The number of method and host in ``originSize`` bytes, and the path.
    private(set) var targets = TextTable()
    private var queries = TextTable(knowing: 48_000)
    private var apis = TextTable()
    private var scratch: [UInt8] = []
    /// Ports by name of a host, of batches.
    private var ports: [String: Set<Int>] = [:]
    /// The hosts that are there, as targets have them.
    private(set) var hosts: Set<String> = []

    /// None.
    public init() {}

    /// These exchanges.
    public init(_ exchanges: some Sequence<RecordedExchange>) {
        for exchange in exchanges { append(exchange) }
    }

    /// These exchanges.
    public init(arrayLiteral elements: RecordedExchange...) { self.init(elements) }

    /// Makes room for this many.
    public mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
    }

    /// Adds one at the end.
    public mutating func append(_ exchange: RecordedExchange) {
        scratch.removeAll(keepingCapacity: true)
        scratch += exchange.method.utf8
        scratch.append(0)
        scratch += exchange.host.utf8
        let (origin, isNew) = internOrigin()
        if isNew { hosts.insert(exchange.host) }
        scratch.removeAll(keepingCapacity: true)
        scratch += Self.bytes(origin)
        scratch += exchange.path.utf8
        let target = scratch.withUnsafeBytes { targets.intern($0) }
        append(
            id: exchange.id, connection: exchange.connection, startedAt: exchange.startedAt,
            respondedAt: exchange.respondedAt, endedAt: exchange.endedAt, target: target,
            query: exchange.query.map { queries.intern($0) }, status: exchange.status,
            api: apis.intern(exchange.api))
    }

    /// Adds those of `batch` at the end.
    public mutating func append(_ batch: consuming Batch) {
        let origins = batch.origins.map { origin in
            batch.bytes.withUnsafeBytes { bytes in
                let number = self.origin(
                    bytes[origin.method], bytes[origin.host], port: origin.port)
                return (number, apis.intern(UnsafeRawBufferPointer(rebasing: bytes[origin.api])))
            }
        }
        batch.setOrigins { origins[$0].0 }
        batch.bytes.withUnsafeBytes { bytes in
            let numbers = targets.intern(
                batch.entries.map { UnsafeRawBufferPointer(rebasing: bytes[$0.target]) })
            for (entry, target) in zip(batch.entries, numbers) {
                let query = entry.query.map {
                    queries.intern(UnsafeRawBufferPointer(rebasing: bytes[$0]))
                }
                append(
                    id: entry.id, connection: entry.connection, startedAt: entry.startedAt,
                    respondedAt: entry.respondedAt, endedAt: entry.endedAt, target: target,
                    query: query, status: entry.status, api: origins[entry.origin].1)
            }
        }
    }

    /// The number of a method, host and port.
    private mutating func origin(
        _ method: Slice<UnsafeRawBufferPointer>, _ host: Slice<UnsafeRawBufferPointer>, port: Int
    ) -> UInt32 {
        scratch.removeAll(keepingCapacity: true)
        scratch += method
        scratch.append(0)
        scratch += host
        scratch.append(0x3A)
        scratch += String(port).utf8
        let (origin, isNew) = internOrigin()
        if isNew {
            let name = String(decoding: host, as: UTF8.self)
            ports[name, default: []].insert(port)
            hosts.insert("\(name):\(port)")
        }
        return origin
    }

    private mutating func append(
        id: ExchangeID, connection: ConnectionID, startedAt: Instant, respondedAt: Instant?,
        endedAt: Instant?, target: UInt32, query: UInt32?, status: Int?, api: UInt32
    ) {
        if entries.isEmpty { first = (id.rawValue, connection.rawValue) }
        let start = startedAt.nanoseconds
        entries.append(
            Entry(
                started: start, id: kept(id.rawValue, first.id, 0),
                connection: kept(connection.rawValue, first.connection, 1),
                responded: kept(respondedAt?.nanoseconds, start, 2),
                ended: kept(endedAt?.nanoseconds, start, 3), target: target,
                query: query.map { $0 + 1 } ?? 0,
                status: status.flatMap { UInt16(exactly: $0 &+ 1) } ?? 0,
                api: UInt16(truncatingIfNeeded: api)))
    }

    /// A value as the next entry keeps it.
    private mutating func kept(_ value: Int64?, _ base: Int64, _ field: UInt8) -> UInt32 {
        guard let value else { return Self.none }
        let (more, overflow) = value.subtractingReportingOverflow(base)
        if !overflow, more >= 0, more < Int64(Self.elsewhere) { return UInt32(more) }
        far[Slot(place: entries.count, field: field)] = value
        return Self.elsewhere
    }

    /// A value as it was.
    private func value(_ kept: UInt32, _ base: Int64, _ place: Int, _ field: UInt8) -> Int64? {
        switch kept {
        case Self.none: nil
        case Self.elsewhere: far[Slot(place: place, field: field)]
        default: base + Int64(kept)
        }
    }

    private mutating func internOrigin() -> (number: UInt32, isNew: Bool) {
        let before = origins.count
        let number = scratch.withUnsafeBytes { origins.intern($0) }
        return (number, origins.count > before)
    }

    private static func bytes(_ origin: UInt32) -> [UInt8] {
        (0..<originSize).map { UInt8(truncatingIfNeeded: origin >> (8 * $0)) }
    }

    // MARK: Hosts

    /// A host as exchanges name it: without port where no other port of it was recorded.
    ///
    /// - Parameters:
    ///   - name: Name or address, in lower case.
    ///   - port: TCP port.
    /// - Returns: The name alone, or `NAME:PORT`.
    public func host(_ name: String, port: Int) -> String {
        (ports[name]?.count ?? 0) > 1 ? "\(name):\(port)" : name
    }

    /// The hosts that exchanges name, in the order of their first.
    public var hostNames: [String] {
        var seen: Set<String> = []
        var names: [String] = []
        for number in 0..<UInt32(truncatingIfNeeded: targets.count) {
            let name = parts(of: number).host
            if seen.insert(name).inserted { names.append(name) }
        }
        return names
    }

    /// The host of a target as exchanges name it.
    func shown(_ host: Substring) -> String {
        guard !ports.isEmpty, let colon = host.utf8.lastIndex(of: 0x3A),
            ports[String(host[..<colon])]?.count == 1
        else { return String(host) }
        return String(host[..<colon])
    }

    /// The hosts of targets that exchanges name like this.
    func hosts(shownAs name: String) -> [String] {
        if let port = ports[name], port.count == 1, let port = port.first {
            return ["\(name):\(port)"]
        }
        return [name]
    }

    // MARK: Targets

    /// The number of the method, host and path of the exchange at `place`.
    func target(at place: Int) -> UInt32 { entries[place].target }

    /// Method, host and path of a target.
    typealias TargetParts = (method: String, host: String, path: String)

    /// Method, host and path of a target.
    func parts(of target: UInt32) -> TargetParts {
        let (origin, path) = targets.bytes(target) { bytes in
            let number = bytes.prefix(Self.originSize).reversed()
            let origin = number.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (origin, String(decoding: bytes.dropFirst(Self.originSize), as: UTF8.self))
        }
        // By bytes: looking for characters takes ten times as long.
        let parts = origins[origin].utf8.split(
            separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        func text(_ place: Int) -> Substring {
            place < parts.count ? Substring(parts[place]) : ""
        }
        return (String(text(0)), parts.count > 1 ? shown(text(1)) : "", path)
    }

    /// Whether the path of a target may be that of a socket.
    func mayBeSocket(_ target: UInt32) -> Bool {
        targets.bytes(target) { $0.dropFirst(Self.originSize).starts(with: "/sock/".utf8) }
    }

    /// The target of this method and path on a host as targets have it.
    func target(_ method: String, _ host: String, _ path: String) -> UInt32? {
        guard let origin = origins.find("\(method)\0\(host)") else { return nil }
        return (Self.bytes(origin) + Array(path.utf8)).withUnsafeBytes { targets.find($0) }
    }

    // MARK: Collection

    /// 0.
    public var startIndex: Int { 0 }

    /// Number of exchanges.
    public var endIndex: Int { entries.count }

    /// The exchange at `place`.
    public subscript(_ place: Int) -> RecordedExchange {
        exchange(at: place, parts(of: entries[place].target))
    }

    /// The exchange at `place`, whose target has these parts.
    func exchange(at place: Int, _ parts: TargetParts) -> RecordedExchange {
        let entry = entries[place]
        return RecordedExchange(
            id: id(at: place), method: parts.method, host: parts.host, path: parts.path,
            query: entry.query == 0 ? nil : queries[entry.query - 1],
            status: entry.status == 0 ? nil : Int(entry.status) - 1,
            startedAt: Instant(nanoseconds: entry.started),
            respondedAt: instant(entry.responded, entry, place, 2),
            endedAt: instant(entry.ended, entry, place, 3),
            connection: ConnectionID(value(entry.connection, first.connection, place, 1) ?? 0),
            api: apis[UInt32(entry.api)])
    }

    /// The number of the exchange at `place`, without the rest of it.
    public func id(at place: Int) -> ExchangeID {
        ExchangeID(value(entries[place].id, first.id, place, 0) ?? 0)
    }

    /// The query of the exchange at `place`, without the rest of it.
    func query(at place: Int) -> String? {
        let query = entries[place].query
        return query == 0 ? nil : queries[query - 1]
    }

    /// The place of the exchange with this number; nil where there is none.
    ///
    /// Numbers rise with places.
    public func place(of id: ExchangeID) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.id(at: middle) < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && self.id(at: low) == id ? low : nil
    }

    private func instant(
        _ kept: UInt32, _ entry: Entry, _ place: Int, _ field: UInt8
    ) -> Instant? {
        value(kept, entry.started, place, field).map { Instant(nanoseconds: $0) }
    }
}
