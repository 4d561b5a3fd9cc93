internal import Dissection
internal import Storage
public import Wire

extension ReplayReader {
    /// Where a WebSocket message stands in the chunks; nil where there is none of that number.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func place(of id: MessageID) throws(TraceError) -> ReplayMessagePlace? {
        try reader.told { () throws(StorageFault) in
            try reader.list("SELECT * FROM message WHERE id = ?", [id.rawValue]) {
                let row = $0.message()
                return ReplayMessagePlace(
                    id: row.id, connection: row.connection, exchange: row.exchange,
                    sender: row.sender, size: row.size, isCompressed: row.isCompressed,
                    chunk: row.place.chunk, offset: row.place.offset)
            }.first
        }
    }
}
