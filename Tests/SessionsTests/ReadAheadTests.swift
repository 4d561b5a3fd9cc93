import Replaying
import Testing
import Trace
import Wire

@testable import Sessions
@testable import TraceWorld

@Suite("Reading ahead")
struct ReadAheadTests {
    @Test func `gives what the session gives, in any order`() throws {
        let trace = try SmallTrace()
        let connection = trace.open()
        for number in 0..<90 {
            let answer = String(repeating: "\(number) ", count: 1 + 997 * (number % 7))
            trace.exchange(connection, "POST /\(number)", body: "{\"n\":\(number)}", answer: answer)
        }
        trace.send(connection, .client, "GET /chunked HTTP/1.1\nHost: example.org\n\n")
        trace.send(connection, .server, "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n")
        trace.send(connection, .server, "3\nabc\n0\n\n")
        trace.send(connection, .client, "GET /cut HTTP/1.1\nHost: example.org\n\n")
        trace.send(connection, .server, "HTTP/1.1 200 OK\nContent-Length: 9\n\nabc")
        trace.end(connection, .server)
        trace.send(trace.open(), .client, "GET /none HTTP/1.1\nHost: example.org\n\n")
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        let ids = session.exchanges.map(\.id)
        try #require(ids.count == 93)
        for order in [ids, ids.reversed(), ids.filter { $0.rawValue % 3 != 0 } + ids] {
            let ahead = try ReadAhead(session)
            for id in order {
                #expect(ahead.message(id, .client) == session.message(id, .client))
                #expect(ahead.response(id) == session.response(id))
                #expect(ahead.message(id, .server) == session.message(id, .server))
            }
            #expect(ahead.message(ExchangeID(.max), .client) == nil)
            #expect(ahead.response(ExchangeID(.max)) == nil)
        }
    }
}
