internal import Storage

/// The position of writing: a value, so that a failed commit does not change it.
struct WritePosition: Hashable {
    var counters = Counters()
    /// Number of the last chunk, 0 for none.
    var lastChunk: Int64 = 0
    /// The number of rows of other tables after that chunk.
    var step: Int64 = 0

    /// The place of the next row that is not a chunk.
    mutating func nextStep() -> Int64 {
        step += 1
        return step
    }

    init() {}

    /// Goes on where the trace ends.
    init(from connection: Connection) throws(StorageFault) {
        counters = try Counters(from: connection)
        lastChunk = counters.chunk - 1
        step = try connection.integer(
            """
            SELECT max(step) FROM (
              SELECT step FROM connection WHERE after_chunk_id = \(lastChunk)
              UNION ALL SELECT step FROM leg WHERE after_chunk_id = \(lastChunk)
              UNION ALL SELECT step FROM event WHERE after_chunk_id = \(lastChunk)
              UNION ALL SELECT step FROM gap WHERE after_chunk_id = \(lastChunk)
              UNION ALL SELECT step FROM secret WHERE after_chunk_id = \(lastChunk)
              -- Of packets there are many, and the last has the highest step.
              UNION ALL SELECT step FROM packet WHERE after_chunk_id = \(lastChunk)
                AND id = (SELECT max(id) FROM packet))
            """)
    }
}
