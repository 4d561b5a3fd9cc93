internal import Storage
package import Wire

/// What other programs read of an exchange beside its row.
extension TraceReader {
    /// Start line and fields of a request, as received; nil where there is none.
    package func requestHead(of id: ExchangeID) throws(TraceError) -> [UInt8]? {
        try reported { () throws(StorageFault) in
            try list("SELECT head FROM body WHERE id = 2 * ?", [id.rawValue]) { $0.bytes(0) }.first
        }
    }

    /// The exchange that shows a finding, or that opened the WebSocket of the command that does; nil
    /// where none does.
    package func exchange(showing finding: Int64) throws(TraceError) -> ExchangeID? {
        try reported { () throws(StorageFault) in
            try list(
                """
                SELECT coalesce(f.exchange_id, (SELECT m.exchange_id FROM any_command c
                  JOIN any_message m ON m.id = c.message_id WHERE c.id = f.command_id))
                FROM finding f WHERE f.id = ?
                """, [finding]
            ) { $0.optionalInteger(0) }.first.flatMap { $0 }.map { ExchangeID($0) }
        }
    }
}
