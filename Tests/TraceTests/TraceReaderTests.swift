import Dissection
import Filters
import Foundation
import Testing
import Wire

@testable import Trace

@Suite struct TraceReaderTests {
    private func recorded() throws -> TemporaryTrace {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened))
        _ = writer.put([traffic.message(opened, .client, #"0:init:{"name":"note","app_id":"a"}"#)])
        _ = writer.put(traffic.http(exchanges: 2, body: "hello"))
        _ = writer.put([traffic.change(opened, 1), traffic.change(opened, 2)])
        _ = writer.put(traffic.http(exchanges: 1, body: "Grüße"))
        writer.finish()
        return trace
    }

    private func lines(
        _ trace: TemporaryTrace, _ filter: String, limit: Int? = nil
    ) throws
        -> [String]
    {
        var lines: [String] = []
        try trace.reader().lines(try Filter.parse(filter), limit: limit) { line in
            switch line {
            case .exchange(_, let row): lines.append("\(row.id)")
            case .command(_, let row): lines.append("c\(row.id)")
            case .message(_, let row): lines.append("m\(row.id)")
            }
            return true
        }
        return lines
    }

    @Test(
        arguments: [
            ("", ["1", "c1", "2", "3", "c2", "c3", "4"]),
            ("status = 200", ["2", "3", "4"]),
            ("kind = command", ["c1", "c2", "c3"]),
            ("bucket = note and command = c", ["c2", "c3"]),
            ("key = key2", ["c3"]),
            ("path = /item/0", ["2", "4"]),
            ("body ~ HELL", ["2", "3"]),
            ("body ~ word1", ["c2"]),
            ("hello", ["2", "3"]),
            ("gruße", ["4"]),
            ("header.content-type = text/plain", ["2", "3", "4"]),
            ("body =~ /^hel+o$/", ["2", "3"]),
        ] as [(String, [String])])
    func `lists in order of time what a filter asks for`(filter: String, expected: [String]) throws
    {
        #expect(try lines(recorded(), filter) == expected)
    }

    @Test func `lists no more than asked`() throws {
        #expect(try lines(recorded(), "", limit: 3) == ["1", "c1", "2"])
    }

    @Test func `gives an exchange with what hangs on it`() throws {
        let trace = try recorded()
        let reader = try trace.reader()
        let exchange = try #require(try reader.exchange(ExchangeID(2)))
        #expect(exchange.session == SessionID(1))
        #expect(exchange.row.status == 200)
        #expect(exchange.response?.content == Array("hello".utf8))
        let head = String(decoding: exchange.request?.head ?? [], as: UTF8.self)
        #expect(head.contains("example.org"))
        #expect(try reader.exchange(ExchangeID(99)) == nil)
    }

    @Test func `gives a command with its text and changes`() throws {
        let trace = try recorded()
        let reader = try trace.reader()
        let command = try #require(try reader.command(CommandID(3)))
        #expect(try reader.text(of: CommandID(3)) == command.text)
        #expect(try reader.text(of: CommandID(99)) == [])
        #expect(command.text.starts(with: Array("0:c:".utf8)))
        #expect(command.payload.first == UInt8(ascii: "{"))
        #expect(command.changes.map(\.key) == ["key2"])
        let before = try reader.commands(about: "key1", in: "note", before: CommandID(3))
        #expect(before.map(\.row.id) == [CommandID(2)])
        let message = try #require(try reader.message(MessageID(2)))
        #expect(message.frames.count == 1)
        #expect(message.commands.map(\.id) == [CommandID(2)])
    }

    @Test func `lines of commands have their texts where these are short`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened))
        let long = String(repeating: "x", count: 5_000)
        for text in [#"0:init:{"name":"note","app_id":"a"}"#, "0:i:{}", "0:log:\(long)", "h:1"] {
            _ = writer.put([traffic.message(opened, .client, text)])
        }
        writer.finish()
        let reader = try trace.reader()
        for detail in [LineDetail.texts, .shown, .whole] {
            var found: [Bool] = []
            try LineBatches(path: trace.path, nil, detail).forEachLine { line in
                guard case .command(_, let row) = line else { return true }
                if let text = row.text {
                    #expect(text == (try? reader.text(of: row.id)))
                }
                found.append(row.text != nil)
                return true
            }
            #expect(found == [true, true, false, true].map { $0 && detail != .whole }, "\(detail)")
        }
    }

    @Test func `knows the commands that objects are computed from, and the changes of each`() throws
    {
        let trace = try recorded()
        let reader = try trace.reader()
        var texts: [[UInt8]] = []
        func read(after first: Int64, before last: Int64) throws {
            texts = []
            try reader.objectCommands(after: CommandID(first), before: CommandID(last)) {
                #expect($0 == .client && $1 == "note")
                texts.append($2)
            }
        }
        let all = try [2, 3].map { try reader.text(of: CommandID($0)) }
        try read(after: 0, before: 99)
        #expect(texts == all)
        try read(after: 2, before: 99)
        #expect(texts == [all[1]])
        try read(after: 0, before: 3)
        #expect(texts == [all[0]])
        #expect(try reader.changes(of: CommandID(3)).map(\.key) == ["key2"])
        #expect(try reader.changes(of: CommandID(1)).isEmpty)
    }

    @Test func `counts what is noted about the messages of a WebSocket`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened))
        _ = writer.put([traffic.message(opened, .client, #"0:init:{"name":"note","app_id":"a"}"#)])
        for text in ["0:x:", "0:c:[", "0:x:", "0:x:"] {
            _ = writer.put([traffic.message(opened, .client, text)])
        }
        writer.finish()
        let reader = try trace.reader()
        let socket = try #require(try reader.exchange(ExchangeID(1)))
        let all = try (1...5).flatMap { try reader.message(MessageID($0))?.notes ?? [] }
        #expect(socket.notes.isEmpty && all.count >= 4)
        let said = Dictionary(grouping: all) { "\($0.code) \($0.detail)" }
        #expect(socket.messageNotes.map(\.count).max() == 3)
        for notes in socket.messageNotes {
            let same = said["\(notes.first.code) \(notes.first.detail)"] ?? []
            #expect(same.count == notes.count && same.first == notes.first)
        }
        #expect(socket.messageNotes.map(\.count).reduce(0, +) == all.count)
    }

    @Test func `gives bytes as they were sent and as they were received`() throws {
        let trace = try recorded()
        let reader = try trace.reader()
        func text(_ id: Int64, _ sender: Peer, _ side: BytesSide) throws -> String {
            var bytes: [UInt8] = []
            try reader.bytes(of: ExchangeID(id), sender: sender, side) { _, piece in
                bytes += piece
                return true
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(
            try text(2, .client, .sent) == "GET /item/0?n=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
        #expect(
            try text(2, .client, .received)
                == "GET /item/0?n=1 HTTP/1.1\r\nHost: example.org\r\n\r\n")
        #expect(
            try text(3, .server, .received)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try text(1, .server, .received).hasSuffix("\r\n\r\n"))
        #expect(throws: TraceError(.notFound, "")) { try text(99, .client, .sent) }
    }

    @Test(arguments: [0, 5], [false, true])
    func `gives no bytes of what its connection carried later`(
        pause: Int64, isIndexed: Bool
    ) throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let connections = [traffic.open(), traffic.open()]
        _ = writer.put(connections.flatMap(\.records))
        for number in 0..<3 {
            for connection in connections {
                _ = writer.put(traffic.exchange(connection, number: number, body: "n\(number)"))
            }
            traffic.pass(seconds: pause)
        }
        writer.finish()
        if isIndexed {
            _ = try trace.rows(
                "CREATE INDEX any_exchange_request_chunk ON any_exchange(request_chunk_id)")
        }
        let reader = try trace.reader()
        for id in 1...6 {
            for sender in [Peer.client, .server] {
                var bytes: [UInt8] = []
                try reader.bytes(of: ExchangeID(Int64(id)), sender: sender, .sent) { _, piece in
                    bytes += piece
                    return true
                }
                let text = String(decoding: bytes, as: UTF8.self)
                let number = (id - 1) / 2
                if sender == .client {
                    #expect(text.hasPrefix("GET /item/\(number)") && text.hasSuffix("\r\n\r\n"))
                    #expect(text.components(separatedBy: "GET ").count == 2)
                } else {
                    #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("\r\n\r\nn\(number)"))
                    #expect(text.components(separatedBy: "HTTP/1.1").count == 2)
                }
            }
        }
    }

    @Test func `gives a connection with what happened to it`() throws {
        let reader = try recorded().reader()
        let connection = try #require(try reader.connection(ConnectionID(2)))
        #expect(connection.legs.map(\.peer) == [.client, .server])
        #expect(connection.events.map(\.kind) == [.opened, .ended, .closed, .closed])
    }

    @Test func `follows a trace, each line once and exchanges when they have ended`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 2))
        writer.flush()
        let reader = try trace.reader()
        var tail = try TraceTail(reader)
        func poll() throws -> [Int64] {
            var ids: [Int64] = []
            try tail.poll(reader) { ids.append($0.id) }
            return ids
        }
        #expect(try poll() == [])
        let opened = traffic.open()
        let records = traffic.exchange(opened, number: 9, body: "x")
        _ = writer.put(opened.records + records.prefix(1))
        writer.flush()
        #expect(try poll() == [])
        _ = writer.put(traffic.http(exchanges: 1))
        writer.flush()
        #expect(try poll() == [4])
        _ = writer.put(Array(records.dropFirst()))
        writer.flush()
        #expect(try poll() == [3])
        #expect(try poll() == [])
        var whole = try TraceTail(reader, fromStart: true)
        var ids: [Int64] = []
        try whole.poll(reader) { ids.append($0.id) }
        #expect(ids == [1, 2, 3, 4])
        writer.finish()
    }

    @Test func `reads names that look like URIs`() throws {
        let trace = try TemporaryTrace()
        let path = trace.directory + "/a b?mode=rw#%20.tape"
        let session = SessionStart(
            provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0)
        try TraceWriter(path: path, session: session).finish()
        #expect(try TraceReader(path: path).sessions().count == 1)
    }
}
