package import Simperium
package import Wire

extension ChangeRow {
    /// The row of one change of a command.
    package init(
        _ change: SimperiumChange<Range<Int>>, command: CommandID, position: Int, bucket: String?
    ) {
        self.init(
            command: command, position: position, bucket: bucket, key: change.key,
            operation: change.operation?.text, sv: change.sv, ev: change.ev, cv: change.cv,
            ccid: change.ccids.isEmpty ? nil : change.ccids.joined(separator: " "),
            clientID: change.clientID, error: change.error, offset: change.range.lowerBound,
            size: change.range.count)
    }
}
