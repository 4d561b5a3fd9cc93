import Simperium
import Testing

@testable import SyncServers

struct AccountsTests {
    static let token = "0123456789abcdef0123456789abcdef"
    static let file = """
        users:
          - name: Ann
            password: secret
            domains: [demo, other]
            groups: [g1]
            tokens: [\(token)]
            apps: [notes-1]
          - name: bob
            password: "123"
            active: false
            uuid: b0b
            read-only: true
        apps:
          - id: Notes-1
            buckets:
              - name: note
                versions: 5
                log: 7
                removal-mark: deleted
              - name: "*"
                object-bytes: 100
          - id: open-1
        """

    @Test func `lets everybody in when it is open`() {
        let accounts = Accounts.open
        #expect(accounts.user(name: "x", password: "y", domain: "z")?.name == "x")
        #expect(accounts.user(name: "x", password: "", domain: nil) == nil)
        #expect(accounts.user(token: "short", app: "a") == nil)
        let one = accounts.user(token: Self.token, app: "a")
        let other = accounts.user(token: Self.token + "0", app: "a")
        #expect(one != nil && other != nil && one?.account != other?.account)
        #expect(accounts.user(name: "x", password: "1", domain: nil)?.uuid.utf8.count == 32)
    }

    @Test func `knows the users of a file`() throws {
        let accounts = try Accounts(yaml: Self.file)
        let ann = try #require(accounts.user(name: "ann", password: "secret", domain: "demo"))
        #expect(ann.name == "Ann" && ann.groups == ["g1"] && ann.isActive && ann.mayWrite)
        #expect(accounts.user(name: "ann", password: "secret", domain: "elsewhere") == nil)
        #expect(accounts.user(name: "ann", password: "Secret", domain: "demo") == nil)
        #expect(accounts.user(name: "eve", password: "secret", domain: nil) == nil)
        let bob = try #require(accounts.user(name: "bob", password: "123", domain: "any"))
        #expect(bob.uuid == "b0b" && !bob.isActive && !bob.mayWrite && bob.domains == nil)
    }

    @Test func `knows tokens and applications`() throws {
        let accounts = try Accounts(yaml: Self.file)
        #expect(accounts.user(token: Self.token, app: "NOTES-1")?.name == "Ann")
        #expect(accounts.user(token: Self.token, app: "open-1") == nil)
        #expect(accounts.user(token: Self.token + "0", app: "notes-1") == nil)
        #expect(accounts.application("nowhere") == nil)
        #expect(accounts.application("open-1")?.options(bucket: "any") != nil)
        let app = try #require(accounts.application("notes-1"))
        #expect(app.options(bucket: "note")?.newestVersions == 5)
        #expect(app.options(bucket: "note")?.loggedChanges == 7)
        #expect(app.options(bucket: "note")?.removalMark == "deleted")
        #expect(app.options(bucket: "tag")?.objectBytes == 100)
    }

    @Test func `lets everybody in where a file has no users`() throws {
        let accounts = try Accounts(yaml: "apps:\n  - id: a\n")
        #expect(accounts.user(token: Self.token, app: "a") != nil)
        #expect(accounts.user(token: Self.token, app: "b") == nil)
        #expect(accounts.user(name: "x", password: "y", domain: nil) != nil)
    }

    @Test(arguments: [
        ("", 1), ("5", 1), ("people: []", 1), ("users: 5", 1), ("users:\n  - ann", 2),
        ("users:\n  - password: x", 2), ("users:\n  - name: a\n    domain: x", 3),
        ("users:\n  - name: a:b", 2), ("users:\n  - name: a\n    password: ''", 2),
        ("users:\n  - name: a\n  - name: b\n  - name: A", 4),
        ("users:\n  - name: a\n    active: perhaps", 3),
        ("users:\n  - name: a\n    apps: [nowhere]\napps: []", 3),
        ("users:\n  - name: a\n    tokens:\n      - short", 4),
        ("apps:\n  - id: a b", 2), ("apps:\n  - id: a\n  - id: A", 3),
        ("apps:\n  - id: a\n    buckets:\n      - name: a/b", 4),
        ("apps:\n  - id: a\n    buckets:\n      - name: b\n        log: 0", 5),
        ("apps:\n  - id: a\n    buckets:\n      - name: b\n      - name: b", 5),
        ("users: [", 1), ("users:\n\t- name: a", 2),
    ])
    func `says where a file is wrong`(yaml: String, line: Int) throws {
        let error = try #require(throws: AccountsError.self) { try Accounts(yaml: yaml) }
        #expect(error.line == line, "\(error)")
        #expect(error.description.hasPrefix("line \(line): "))
    }
}
