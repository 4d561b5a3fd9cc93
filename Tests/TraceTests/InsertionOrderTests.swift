import Dissection
import Testing
import Wire

@testable import Trace

@Suite struct InsertionOrderTests {
    private func exchange(_ number: Int64, status: Int? = nil) -> DerivedRow {
        var row = ExchangeRow(
            id: ExchangeID(number), connection: ConnectionID(1), api: "http", method: "GET",
            scheme: "http", host: "example", port: 80, path: "/", query: nil, version: "HTTP/1.1",
            startedAt: .zero, requestPlace: Place(chunk: ChunkID(1), offset: 0))
        row.status = status
        return .exchange(row)
    }

    private func body(_ exchange: Int64, _ sender: Peer) -> DerivedRow {
        .body(BodyRow(exchange: ExchangeID(exchange), sender: sender, head: []))
    }

    private func note(_ code: String) -> DerivedRow {
        .note(
            NoteRow(
                connection: ConnectionID(1), exchange: nil, message: nil, sender: .client,
                at: .zero, place: Place(chunk: ChunkID(1), offset: 0), code: code, detail: ""))
    }

    private func ordered(_ rows: [DerivedRow]) -> [DerivedRow] {
        rows.insertionOrder.map { rows[$0] }
    }

    @Test func `rows of exchanges and bodies are inserted by their numbers, behind all others`() {
        let rows = [
            body(1, .client), exchange(1), body(3, .client), note("a"), body(2, .client),
            exchange(3), exchange(2), body(2, .server), note("b"), body(1, .server),
        ]
        #expect(
            ordered(rows) == [
                note("a"), note("b"), exchange(1), exchange(2), exchange(3), body(1, .client),
                body(1, .server), body(2, .client), body(2, .server), body(3, .client),
            ])
    }

    @Test func `the last row of an exchange stays the last`() {
        let rows = [
            exchange(7), exchange(2), exchange(7, status: 200), exchange(2, status: 404),
            exchange(7, status: 503),
        ]
        #expect(
            ordered(rows) == [
                exchange(2), exchange(2, status: 404), exchange(7), exchange(7, status: 200),
                exchange(7, status: 503),
            ])
    }
}
