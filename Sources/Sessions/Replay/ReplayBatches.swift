package import Replaying
package import Trace
package import Wire

/// Commands with their names one after the other.
package struct CommandBatch: Sendable {
    /// Rows of a batch.
    package static let most = 1_024

    private struct Row {
        var id: CommandID
        var socket: ConnectionID
        var sender: Peer
        var at: Instant
        var channel: Int?
        /// Where its name ends.
        var end: Int
    }

    private var bytes: [UInt8] = []
    private var rows: [Row] = []

    package var count: Int { rows.count }

    package mutating func append(_ row: ReplayCommandRow) {
        bytes.append(contentsOf: row.name)
        rows.append(
            Row(
                id: row.id, socket: row.socket, sender: row.sender,
                at: row.at, channel: row.channel, end: bytes.count))
    }

    /// Adds them at the end of `commands` with what `ccids` has for each.
    package func append(
        to commands: inout RecordedCommands, with ccids: inout CCIDCursor
    ) throws(TraceError) {
        var start = 0
        for row in rows {
            bytes.withUnsafeBytes { bytes in
                commands.append(
                    row.id, row.socket, row.sender, row.at, row.channel,
                    name: UnsafeRawBufferPointer(rebasing: bytes[start..<row.end]))
            }
            start = row.end
            try ccids.pass(to: row.id) { commands.addCCID($0) }
        }
    }
}

/// The `ccid`s of commands, one after the other.
package struct CCIDBatch: Sendable {
    /// `ccid`s of a batch.
    package static let most = 2_048

    private var bytes: [UInt8] = []
    private var rows: [(command: CommandID, end: Int)] = []

    package var count: Int { rows.count }

    package mutating func append(_ command: CommandID, _ ccid: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: ccid)
        rows.append((command, bytes.count))
    }

    /// The command of the `ccid` at `place`.
    package func command(_ place: Int) -> CommandID { rows[place].command }

    /// Passes on the `ccid` at `place`.
    package func give(_ place: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            let start = place == 0 ? 0 : rows[place - 1].end
            body(UnsafeRawBufferPointer(rebasing: bytes[start..<rows[place].end]))
        }
    }
}

/// Goes through `ccid`s in the order of their commands.
package struct CCIDCursor {
    private let batches: RowBatches<CCIDBatch>
    private var batch = CCIDBatch()
    private var place = 0

    package init(_ batches: RowBatches<CCIDBatch>) { self.batches = batches }

    /// Returns those of `command`, and skips those of commands before it.
    package mutating func pass(
        to command: CommandID, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(TraceError) {
        while true {
            if place == batch.count {
                guard let next = try batches.next() else { return }
                batch = next
                place = 0
                continue
            }
            let next = batch.command(place)
            guard next <= command else { return }
            if next == command { batch.give(place, body) }
            place += 1
        }
    }
}
