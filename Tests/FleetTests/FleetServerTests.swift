import Testing

@testable import Fleet

/// Addresses, versions, complaints and answers of servers.
struct FleetServerTests {
    @Test func `addresses are read`() throws {
        let plain = try FleetAddress(parsing: "clickhouse://lab.example/tapes")
        #expect(plain.place == "lab.example:8123" && plain.database == "tapes")
        #expect(plain.user == "default" && !plain.isSecure && plain.cluster == nil)
        let full = try FleetAddress(
            parsing:
                "clickhouse://ship@[::1]:9/db_1?secure=true&ca=/a.pem&cluster=lab&replicated=true")
        #expect(full.host == "[::1]" && full.port == 9 && full.user == "ship")
        #expect(full.isSecure && full.isReplicated && full.caFile == "/a.pem")
        #expect(full.cluster == "lab" && full.url == "https://[::1]:9/")
        #expect(try FleetAddress(parsing: "clickhouse://h?secure").port == 8443)
        #expect(try FleetAddress(parsing: "clickhouse://h").database == "tapedeck")
    }

    @Test(
        arguments: [
            "", "http://a/b", "clickhouse://", "clickhouse://:1/a", "clickhouse://a:0/b",
            "clickhouse://a:b/c", "clickhouse://u:p@a/b", "clickhouse://@a/b", "clickhouse://a/b-c",
            "clickhouse://a/b;c", "clickhouse://a/b?x=1", "clickhouse://a/b?cluster=x'y",
            "clickhouse://a b/c", "clickhouse://[::1/c", "clickhouse://a/1b",
        ])
    func `mistakes in addresses are explained`(text: String) {
        let error = #expect(throws: FleetError.self) { try FleetAddress(parsing: text) }
        #expect(error?.code == .usage)
        #expect(error?.reason.contains("u:p") != true)
    }

    @Test func `complaints of old and new servers are read`() throws {
        let old = try #require(
            ServerComplaint(
                "Code: 81, e.displayText() = DB::Exception: Database x doesn't exist, e.what() = DB::Exception\n"
            ))
        #expect(old.number == 81 && old.text == "Database x doesn't exist")
        let new = try #require(
            ServerComplaint(
                "Code: 60. DB::Exception: Table x.y does not exist. (UNKNOWN_TABLE) (version 24.8.1.1 (official build))"
            ))
        #expect(new.number == 60 && new.text == "Table x.y does not exist. (UNKNOWN_TABLE)")
        #expect(ServerComplaint("Ok.") == nil && ServerComplaint("") == nil)
        let full = try #require(
            ServerComplaint(
                "Code: 75, e.displayText() = DB::Exception: Cannot write to file /x, errno: 28, strerror: No space left on device, e.what() = DB::Exception"
            ))
        #expect(full.error(at: "a:1", user: "b").mayPass)
        let poco = try #require(
            ServerComplaint(
                "Poco::Exception. Code: 1000, e.code() = 0, e.displayText() = Cannot write file: /x, e.what() = Cannot write file"
            ))
        #expect(poco.number == 1000 && poco.text == "Cannot write file: /x")
        #expect(poco.error(at: "a:1", user: "b").mayPass)
        #expect(!old.error(at: "a:1", user: "b").mayPass)
        #expect(old.error(at: "a:1", user: "b").number == 81)
    }

    @Test func `versions tell what a server can`() {
        #expect(ServerVersion("18.16.1") == .oldest)
        #expect(ServerVersion("1.1.54390").map { $0 < .oldest } == true)
        #expect(ServerVersion("unknown") == nil && ServerVersion("18") == nil)
        #expect(ServerVersion("24.8.1.1").map { $0.hasCodecs && $0.hasTimeToLive } == true)
        #expect(!ServerVersion.oldest.hasCodecs && !ServerVersion.oldest.hasTimeToLive)
    }

    @Test func `answers are unescaped`() {
        let answer = Array("a\\tb\t\\N\t\\\\N\n\t1\t\\n\n".utf8)
        #expect(TabSeparated.rows(answer) == [["a\tb", nil, "\\N"], ["", "1", "\n"]])
        #expect(TabSeparated.rows([]).isEmpty)
        #expect(TabSeparated.literal("it's \\") == "'it\\'s \\\\'")
    }

    @Test(arguments: ["a", "=b", "a b=c", "ä=1"])
    func `mistakes in labels are refused`(text: String) {
        #expect(throws: FleetError.self) { try Label(parsing: text) }
    }

    @Test func `labels are read`() throws {
        let label = try Label(parsing: "App=3.2=x")
        #expect(label.name == "app" && label.value == "3.2=x")
    }
}
