internal import Dissection
internal import Storage
internal import Wire

extension Statement {
    func peer(_ column: Int32) -> Peer { Peer(rawValue: Int(integer(column))) ?? .client }

    func instant(_ column: Int32) -> Instant { Instant(columnNumber: integer(column)) }

    func optionalInstant(_ column: Int32) -> Instant? {
        optionalInteger(column).map(Instant.init(columnNumber:))
    }

    func int(_ column: Int32) -> Int { Int(integer(column)) }

    func optionalInt(_ column: Int32) -> Int? { optionalInteger(column).map { Int($0) } }

    func place(_ column: Int32) -> Place {
        Place(chunk: ChunkID(integer(column)), offset: int(column + 1))
    }

    /// A row of `SELECT * FROM body`.
    func body() -> BodyRow {
        BodyRow(
            exchange: ExchangeID(integer(1)), sender: peer(2), head: bytes(3), trailers: bytes(4),
            content: bytes(5), isText: isText(5), size: integer(6), wireSize: integer(7),
            coding: string(8), contentType: optionalString(9), problem: optionalString(10))
    }
}
