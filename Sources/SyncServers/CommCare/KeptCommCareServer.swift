internal import Notation
internal import OpenRosa
public import Serving
package import Storage
internal import Wire

/// A CommCare server that stores what it received in a file: on the disk before the answer is sent.
///
/// For one thread at a time.
public struct KeptCommCareServer {
    /// The server; nil where it could not be read back from the disk.
    private var server: CommCareServer?
    private let store: CommCareStore?
    private let empty: CommCareServer
    /// Why the last request could not be answered; nil where it could.
    private(set) var fault: StorageFault?

    /// A server with what a database has; in memory without one.
    ///
    /// - Parameters:
    ///   - server: The server as it would begin, with nothing in it.
    ///   - connection: An exclusive connection to the database; the tables are made where they are
    ///     missing.
    ///   - initial: What there is from the start, in a database that has nothing.
    ///   - now: Seconds since 1970.
    /// - Throws: `StorageFault`.
    package init(
        _ server: CommCareServer, _ connection: Connection?, initial: InitialState? = nil,
        now: Int64
    ) throws(StorageFault) {
        var empty = server
        if let initial, connection == nil { empty.domains = initial.domains }
        empty.isKept = connection != nil
        self.empty = empty
        store = try connection.map { connection throws(StorageFault) in
            try CommCareStore(connection)
        }
        if let initial { try store?.begin(with: initial.domains, now: now) }
        var loaded = empty
        try store?.load(into: &loaded, now: now)
        self.server = loaded
    }

    /// Answers a request; see ``CommCareServer/answer(_:now:random:)``.
    ///
    /// Where the disk does not take what there is to keep, the answer is 503 and the server
    /// continues from what the disk has.
    public mutating func answer(
        _ request: ServedRequest, now: Int64, random: inout some RandomNumberGenerator,
        isAgain: Bool = false
    ) -> ServedAnswer? {
        fault = nil
        do throws(StorageFault) {
            if server == nil {
                var loaded = empty
                try store?.load(into: &loaded, now: now)
                server = loaded
            }
            let answer = server?.answer(
                request, now: now, random: &random, isAgain: isAgain)
            let records = server?.takeRecords() ?? []
            if !records.isEmpty { try store?.write(records) }
            return answer
        } catch {
            // What was not written must not be in memory either: devices send it again.
            server = nil
            fault = error
            return .busy("The server cannot keep this: \(error.message); make room on its disk")
        }
    }

    /// The forms and cases of a project, sorted by identifier.
    func filed(domain: String) -> (forms: [HeldForm], cases: [HeldCase]) {
        guard let space = server?.domains[domain] else { return ([], []) }
        let forms = space.forms.map {
            HeldForm(instanceID: $0.key.string, count: $0.value.edits + 1)
        }
        let cases = space.set.cases.values.map { HeldCase(id: $0.id, isClosed: $0.isClosed) }
        return (
            forms.sorted { $0.instanceID < $1.instanceID }, cases.sorted { $0.id < $1.id }
        )
    }

    /// Whether there is a restore to continue with; see ``CommCareServer/work(_:)``.
    var hasWork: Bool { server?.hasWork ?? false }

    /// How many restores are done or dropped so far; from 0 where the server is read from the disk.
    var finishedRestores: Int { server?.finishedRestores ?? -1 }

    /// Whether restores are kept for clients that requested them; see
    /// ``CommCareServer/tidy(now:)``.
    var hasRestores: Bool { server?.hasRestores ?? false }

    /// Continues with restores that are being made; see ``CommCareServer/work(_:)``.
    mutating func work(_ units: Int) { server?.work(units) }

    /// Drops restores that were not requested for a time; `now` is in seconds since 1970.
    mutating func tidy(now: Int64) { server?.tidy(now: now) }
}

@available(*, unavailable)
extension KeptCommCareServer: Sendable {}
