import Foundation
import Notation
import Storage
import Testing
import Wire

@testable import Simperium
@testable import SyncClients

@Suite struct SimperiumStateTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "state-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test func `gives back what was saved, and what waits in the order of the edits`() throws {
        try withFolder { folder in
            var book = Playbook()
            book.sync()
            var state: SimperiumState? = try SimperiumState(folder: folder, app: "app")
            func keep(_ commands: [SimperiumSession.Command]) throws {
                for case .save(let bucket, let saving) in commands {
                    try state?.save(bucket, saving)
                }
                try state?.commit()
            }
            let data = try JSONValue(parsing: #"{"a":1.50,"t":"\u0000é"}"#)
            try keep(book.play(.edited(bucket: "notes", key: "sent", data: data)))
            _ = book.play(.offline)
            for key in ["z", "a", "m"] {
                try keep(book.play(.edited(bucket: "notes", key: key, data: data)))
            }
            try keep(book.play(.edited(bucket: "notes", key: "z", data: .object(JSONObject()))))
            try keep(book.play(.removed(bucket: "notes", key: "m")))
            state = nil
            let loaded = try SimperiumState(folder: folder, app: "app").load("notes")
            #expect(loaded.edits.map(\.key) == ["z", "a"])
            #expect(loaded.edits.last?.data == data)
            let key = ExactText("sent")
            #expect(loaded.saved.objects[key]?.sent == book.saved["notes"]?.objects[key]?.sent)
            #expect(loaded.saved.cv == "cv0")
        }
    }

    @Test func `remembers the refusals of one token, and not the token`() throws {
        try withFolder { folder in
            let token = "0123456789abcdef0123456789abcdef"
            var state: SimperiumState? = try SimperiumState(folder: folder, app: "app")
            #expect(try state?.refusals(of: token) == 0)
            try state?.set(refusals: 2, of: token)
            state = nil
            let again = try SimperiumState(folder: folder, app: "app")
            #expect(try again.refusals(of: token) == 2)
            #expect(try again.refusals(of: token + "0") == 0)
            #expect(try again.value("refused_token")?.contains(token) == false)
        }
    }

    @Test func `refuses the state of another app, and one that is in use`() throws {
        try withFolder { folder in
            let state = try SimperiumState(folder: folder, app: "app")
            #expect {
                try SimperiumState(folder: folder, app: "app")
            } throws: { error in
                if case .busy? = error as? SimperiumClientError { true } else { false }
            }
            try state.set("client_id", "x")
        }
        try withFolder { folder in
            _ = try SimperiumState(folder: folder, app: "app")
            #expect {
                try SimperiumState(folder: folder, app: "other")
            } throws: { error in
                if case .wrongState? = error as? SimperiumClientError { true } else { false }
            }
        }
    }

    @Test func `refuses the state of a newer version`() throws {
        try withFolder { folder in
            _ = try SimperiumState(folder: folder, app: "app")
            let file = try Connection(path: folder + "/simperium.sqlite", flags: 2)
            try file.execute("PRAGMA user_version = 2")
            file.close()
            let reason = "the state in \(folder) is invalid: the state is of a newer version"
            #expect(throws: SimperiumClientError.wrongState(reason)) {
                try SimperiumState(folder: folder, app: "app")
            }
        }
    }

    @Test func `stores data that nobody edited once, and gives both back`() throws {
        try withFolder { folder in
            let data = try JSONValue(parsing: #"{"t":"="}"#)
            let other = try JSONValue(parsing: #"{"t":"edited"}"#)
            var saving = ClientBucket.Saving(cv: "cv", emptying: nil, objects: [:])
            var object = ClientBucket.SavedObject()
            object.ghost = .init(version: 3, data: data)
            object.local = data
            saving.objects[ExactText("same")] = object
            object.local = nil
            saving.objects[ExactText("removed")] = object
            object.local = other
            saving.objects[ExactText("edited")] = object
            var state: SimperiumState? = try SimperiumState(folder: folder, app: "app")
            try state?.save("notes", saving)
            try state?.commit()
            state = nil
            let loaded = try SimperiumState(folder: folder, app: "app").load("notes")
            #expect(loaded.saved.objects[ExactText("same")]?.local == data)
            #expect(loaded.saved.objects.values.allSatisfy { $0.ghost?.data == data })
            #expect(loaded.edits.map(\.key).sorted() == ["edited", "removed"])
            #expect(loaded.edits.contains { $0.data == other })
        }
    }
}
