import CSQLite
import Formats
import Foundation
import Notation
import OpenRosa
import Replaying
import Storage
import Testing
import Trace
import Wire

@testable import Sessions
@testable import TraceWorld
@testable import tapedeck

/// The views of cases against `tapedeck state`.
@Suite struct CaseViewTests {
    /// A case as either of them has it.
    private struct Held: Hashable {
        var id: String
        var facts: [String]
        /// `NAME=TARGET RELATIONSHIP TYPE` of each index, in order.
        var indices: String
        var isClosed: Bool
        /// `NAME=VALUE` of each property, in order, without `date_opened`.
        var properties: String

        init(_ state: CaseState) {
            id = state.id
            facts = [state.caseType, state.name, state.ownerID, state.dateModified]
                .map { $0 ?? "-" }
            indices = state.indices.sorted { $0.key.string < $1.key.string }
                .map {
                    "\($0.key)=\($0.value.target) \($0.value.relationship) \($0.value.caseType ?? "-")"
                }
                .joined(separator: ",")
            isClosed = state.isClosed
            var properties = Dictionary(
                uniqueKeysWithValues: state.properties.map { ($0.key.string, $0.value) })
            properties["external_id"] = state.externalID
            self.properties = properties.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        }

        init(_ row: Statement) {
            id = row.string(0)
            facts = (1...4).map { row.optionalString($0) ?? "-" }
            isClosed = row.integer(5) == 1
            indices = row.string(6)
            properties = row.string(7)
        }

        static let columns = """
            case_id, case_type, case_name, owner_id, date_modified, is_closed,
            coalesce((SELECT group_concat(text) FROM (SELECT e.key || '='
              || json_extract(e.value, '$.target') || ' '
              || json_extract(e.value, '$.relationship') || ' '
              || coalesce(json_extract(e.value, '$.case_type'), '-') AS text
              FROM json_each(indices) e ORDER BY e.key)), ''),
            coalesce((SELECT group_concat(text) FROM (SELECT e.key || '=' || e.value AS text
              FROM json_each(properties) e WHERE e.key <> 'date_opened' ORDER BY e.key)), '')
            """
    }

    private func held(_ db: Connection, _ source: String, _ values: String?...) throws -> Set<Held>
    {
        let statement = try db.prepare("SELECT \(Held.columns) FROM \(source)")
        for (place, value) in values.enumerated() { statement.bind(Int32(place + 1), value) }
        var cases: Set<Held> = []
        while try statement.step() { cases.insert(Held(statement)) }
        return cases
    }

    /// Compares both sides of a trace, and answers how many cases were compared.
    private func compare(_ path: String, _ what: String) throws -> Int {
        let state = try SessionStateReading.read(try StateReader(path: path), upto: .end).state
        let db = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        defer { db.close() }
        var count = 0
        for (name, domain) in state.domains {
            let server = try held(db, "commcare_case WHERE project = ?", name)
            #expect(server == Set(domain.cases.cases.values.map(Held.init)), "\(what): server")
            count += server.count
        }
        for user in state.users {
            let device = try held(
                db, "commcare_device_case WHERE project = ? AND user IS ? AND device IS ?",
                user.domain, user.user, user.device)
            let local = Set(user.local.cases.values.map(Held.init))
            #expect(device == local, "\(what): \(user.user ?? "-") on \(user.device ?? "-")")
            count += local.count
        }
        return count
    }

    @Test(arguments: 0..<9) func `say what the state says, whatever happens`(seed: UInt64) throws {
        let trace = try SmallTrace()
        var clinic = Clinic(trace, seed: seed)
        for _ in 0..<30 { clinic.step() }
        trace.finish()
        #expect(try compare(trace.path, "seed \(seed)") > 3)
    }

    @Test func `say what the state says of the recordings`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Recordings").standardized
        let trace = try SmallTrace()
        trace.finish()
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where !name.contains(".") {
            let path = trace.beside("\(name).tape")
            try RecordingImport.run(from: folder.appendingPathComponent(name).path, to: path)
            count += try compare(path, name)
        }
        #expect(count > 3)
    }

    @Test func `a device keeps what is open and owned, what that refers to and what extends it`()
        throws
    {
        let trace = try SmallTrace()
        func block(_ id: String, _ inside: String, owner: String = "me") -> String {
            """
            <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)"><create>\
            <case_type>t</case_type><case_name>n</case_name><owner_id>\(owner)</owner_id></create>\
            \(inside)</case>
            """
        }
        func child(of id: String) -> String { "<index><p case_type=\"t\">\(id)</p></index>" }
        func extending(_ id: String) -> String {
            "<index><h case_type=\"t\" relationship=\"extension\">\(id)</h></index>"
        }
        func restore(_ query: String, _ inside: String) {
            trace.exchange(
                trace.open(), "GET /a/demo/phone/restore/?device_id=d&as=ada\(query)",
                answer: """
                    <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
                    <message nature="ota_restore_success"/>\
                    <Sync xmlns="http://commcarehq.org/sync"><restore_id>t</restore_id></Sync>\
                    <Registration xmlns="http://openrosa.org/user/registration"><uuid>me</uuid>\
                    </Registration><fixture id="user-groups"><groups><group id="us"/></groups>\
                    </fixture>\(inside)</OpenRosaResponse>
                    """, type: "text/xml")
        }
        restore(
            "",
            block("open", "") + block("ours", "", owner: "us") + block("theirs", "", owner: "them")
                + block("closed", "<close/>") + block("parent", "<close/>", owner: "them")
                + block("child", child(of: "parent")) + block("host", "", owner: "them")
                + block("extension", extending("host")) + block("alone", extending("closed"))
                + block("orphan", child(of: "nowhere")) + block("behind", child(of: "orphan")))
        restore("&since=t", block("new", "", owner: "them"))
        trace.finish()
        #expect(try compare(trace.path, "by hand") > 3)
        let db = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        defer { db.close() }
        let ids = try held(db, "commcare_device_case").map(\.id).sorted()
        #expect(ids == ["child", "extension", "host", "new", "open", "ours", "parent"])
    }

    @Test func `a form counts for each side as that side had it`() throws {
        let trace = try SmallTrace()
        func submit(
            _ id: String, status: Int, _ page: String = "", isLocal: Bool = false
        ) {
            trace.exchange(
                trace.open(), "POST /a/demo/receiver/?device_id=d",
                body: """
                    <data xmlns="f"><case xmlns="http://commcarehq.org/case/transaction/v2" \
                    case_id="\(id)" user_id="u"><create><case_type>t</case_type>\
                    <case_name>n</case_name></create></case>\
                    <meta><instanceID>i-\(id)</instanceID></meta></data>
                    """, status: status, answer: page, isLocal: isLocal)
        }
        submit("twice", status: 500)
        submit("refused", status: 422)
        submit("refused", status: 503)
        submit("unheard", status: 201, isLocal: true)
        submit("twice", status: 201)
        submit("portal", status: 200, "<html><body>Sign in<br></body></html>")
        trace.finish()
        let db = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        defer { db.close() }
        func rows(_ sql: String) throws -> [String] {
            let statement = try db.prepare(sql)
            var rows: [String] = []
            while try statement.step() {
                rows.append(
                    (0..<statement.columnCount).map(statement.string).joined(separator: "|"))
            }
            return rows
        }
        #expect(
            try rows("SELECT case_id, owner_id, exchange_id FROM commcare_case") == ["twice|u|5"])
        #expect(
            try rows("SELECT case_id, exchange_id, unaccepted FROM commcare_device_case ORDER BY 1")
                == ["portal|6|1", "refused|2|1", "twice|5|0", "unheard|4|0"])
    }
}
