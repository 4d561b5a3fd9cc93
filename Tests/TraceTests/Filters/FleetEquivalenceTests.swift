import CSQLite
import Filters
import Notation
import Storage
import Testing
import Wire

@testable import Fleet
@testable import Trace

/// A filter gives the same rows from a fleet as from the trace that was shipped.
@Suite(.serialized, .enabled(if: ClickHouseServer.isInstalled, "Tools/setup installs ClickHouse"))
struct FleetEquivalenceTests {
    /// A trace with everything that a filter can ask for, and the same in a fleet.
    private struct World {
        let trace: TemporaryTrace
        let db: Connection
        let server: ClickHouseServer
        let reader: FleetReader

        init(seed: UInt64) throws {
            let trace = try TemporaryTrace()
            self.trace = trace
            for _ in 0..<2 { try trace.writer().finish() }
            db = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
            try db.register(FilterFunctions())
            var world = FilterWorld(seed: seed)
            try world.write(to: db)
            try db.execute("BEGIN")
            var random = SplitMix64(seed: seed &+ 77)
            for sql in Self.statements(&random) { try db.execute(sql) }
            try db.execute("COMMIT")
            server = try ClickHouseServer()
            let client = try server.client()
            try FleetSchema(
                client, version: try client.version(), program: "test", unixNow: { 1 }
            ).prepare()
            let shipper = try Shipper(
                trace: trace.path, server: client, labels: [try Label(parsing: "app=3.2")],
                secrets: .kept, patience: 0,
                Shipper.Surroundings(
                    unixNow: { 1 }, wait: { _ in }, isStopped: { false }, say: { _ in }))
            try shipper.ship()
            reader = try FleetReader(client)
        }

        /// What a recorder and a diagnosis say of the rows, at random.
        private static func statements(_ random: inout SplitMix64) -> [String] {
            func pick(_ list: [String]) -> String { list.randomElement(using: &random) ?? "" }
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            var made = [
                "UPDATE any_exchange SET request_chunk_id = id % 17 + 1, request_offset = id % 3",
                "UPDATE any_message SET chunk_id = id % 13 + 1, \"offset\" = id % 5",
                "UPDATE any_exchange SET counterpart_id = 61 - id WHERE id % 4 = 0",
                "UPDATE any_message SET counterpart_id = 41 - id WHERE id % 3 = 0",
                "UPDATE any_exchange SET fate = 'altered' WHERE id % 5 = 0",
                "UPDATE any_command SET fate = 'lost' WHERE id % 6 = 0",
                "UPDATE any_exchange SET side = 'client' WHERE id % 7 = 0",
                "UPDATE any_exchange SET side = 'server' WHERE id % 7 = 1",
            ]
            for id in 1...25 {
                let rule = pick(["a.rule", "b.rule", "sync"])
                made.append(
                    """
                    INSERT INTO finding_statement VALUES (\(id), 1, 5, '\(rule)', \
                    '\(pick(["error", "warning"]))', \(number(1...17)), \(number(0...4)), 'm', 'e')
                    """)
                made.append(
                    """
                    INSERT INTO undecided_statement VALUES (\(id), 2, 5, '\(rule)', 6, \
                    \(number(1...17)), \(number(0...4)), 'm', 'e')
                    """)
                let problem = pick(["NULL", "NULL", "'no'"])
                let chunk = number(1...17)
                made.append(
                    """
                    INSERT INTO fault_statement VALUES (\(id), 1, \(number(0...5_000_000_000)), \
                    '\(pick(["fault", "edit"]))', '\(rule)', 'drop', 'lost', \(problem), NULL, \
                    \(number(1...3)), \(number(0...1)), '', 1, '7', \(chunk), 0, 0)
                    """)
                if number(0...2) > 0 {
                    made.append(
                        """
                        INSERT INTO fault_verdict VALUES (\(id), \
                        '\(pick(["recovered", "not-recovered"]))', 'so', NULL, NULL, NULL, NULL, 1)
                        """)
                }
            }
            return made
        }

        func compare(_ text: String) throws -> Bool {
            let filter = try Filter.parse(text)
            var isFound = false
            for (subject, table, alias) in [
                (FilterSubject.exchange, "any_exchange", "x"), (.command, "any_command", "c"),
                (.message, "any_message", "m"),
            ] {
                let local = try rows(
                    "\(table) \(alias)", alias, filter.sql(for: subject))
                let condition = filter.clickHouse(for: subject)
                let remote =
                    condition == .never
                    ? []
                    : try reader.rows(
                        "SELECT id FROM \(table) WHERE \(condition.text) ORDER BY id"
                    ).map { FleetTableRows.number($0[0]) }
                #expect(local == remote, "\(text) of \(table): \(condition.text.prefix(2_000))")
                isFound = isFound || !local.isEmpty
            }
            return isFound
        }

        private func rows(
            _ from: String, _ alias: String, _ condition: SQLCondition
        ) throws -> [Int64] {
            let statement = try db.prepare(
                "SELECT \(alias).id FROM \(from) WHERE \(condition.text) ORDER BY \(alias).id")
            for (index, argument) in zip(Int32(1)..., condition.arguments) {
                switch argument {
                case .integer(let number): statement.bind(index, number)
                case .text(let text): statement.bind(index, text)
                case .blob(let bytes): statement.bind(index, copying: bytes, asText: false)
                }
            }
            var found: [Int64] = []
            while try statement.step() { found.append(statement.integer(0)) }
            return found
        }
    }

    /// Comparisons of fields that only stored rows have.
    private static func stored(_ random: inout SplitMix64) -> String {
        let texts = [
            "finding:error", "finding:a.*", "not finding:*", "has:finding", "finding!=b.rule",
            "undecided:sync", "undecided~rule", "fault:a.rule", "fault:*", "fault~/^s/",
            "verdict:recovered", "has:verdict", "not verdict:not-recovered", "intervention:b.rule",
            "intervention:*", "fate:altered", "fate!=same", "fate:{lost,altered}",
            "at>=2001-09-09T01:46:41Z", "at:2001-09-09", "at:01:46:41..01:46:42", "at:01:46",
            "at<2001-09-09T01:46:43.5", "at:2001-09-09T01:46:40.5Z..",
        ]
        return texts.randomElement(using: &random) ?? ""
    }

    @Test func `a thousand random filters find the same`() throws {
        for seed in [UInt64(1), 2] {
            let world = try World(seed: seed)
            var random = SplitMix64(seed: seed &+ 4_000)
            var found = 0
            for round in 0..<600 {
                var text = FilterTexts.filter(&random, depth: 3)
                if round % 3 == 0 {
                    let sign = Bool.random(using: &random) ? " or " : " "
                    text = "(\(text))\(sign)\(Self.stored(&random))"
                }
                if round % 10 == 9 { text = Self.stored(&random) }
                if try world.compare(text) { found += 1 }
            }
            #expect(found > 300)
        }
    }

    @Test func `every field finds the same`() throws {
        let world = try World(seed: 7)
        for field in Field.all where !field.isOfTraceAlone {
            var random = SplitMix64(seed: 9)
            for _ in 0..<15 {
                let text = FilterTexts.comparison(field, &random)
                _ = try world.compare(text)
                _ = try world.compare("not \(text)")
            }
        }
        // What a trace does not have.
        let shipped = try world.reader.rows("SELECT count() FROM any_exchange")
        for text in ["label.app:3.2", "label.APP:3.*", "has:label.app", "recorder:*-*"] {
            let condition = try Filter.parse(text).clickHouse(for: .exchange).text
            #expect(
                try world.reader.rows("SELECT count() FROM any_exchange WHERE \(condition)")
                    == shipped, "\(text)")
        }
        for text in ["label.app:3.3", "label.other:*", "recorder:x"] {
            let condition = try Filter.parse(text).clickHouse(for: .command).text
            #expect(
                try world.reader.rows("SELECT count() FROM any_command WHERE \(condition)")
                    == [[[0x30]]], "\(text)")
        }
    }

    @Test func `expressions mean the same`() throws {
        let world = try World(seed: 3)
        for text in [
            "path~/(?:a1|sync)[^x]{1,3}$/", "path~/\\d?\\/./", "body~/[^a-z]ö/", "body~/\\S+\\s/i",
            "body~/(sy|no){2,3}/", "body~/((a|1){2}){2}/", "body~/^$/", "body~/\\bsync\\b/",
            "body~/\\Bync/", "path~/[\\[\\]\\\\*?]/", "body~/x{0}/", "body~/größe/i",
            "host~/\\u{5F}/",
            "body~/[\\xC3\\xB6]/", "header.x-a~/^.*, /", "path~/(?i)NOTES/",
            "body~/[^\\x00-\\x7F]/",
            "path~/a*b?-?2|q/", "path~/50%/", "body~/<>|, $/", "path~/a{2,}/", "url~/:8080\\//",
        ] {
            _ = try world.compare(text)
            _ = try world.compare("not \(text)")
        }
    }
}
