import Dissection
import Simperium
import Wire

/// Rows of a command as decoding makes them.
enum ChangeReader {
    static func key(_ text: String, _ sender: Peer) -> String? { read(text, sender).key }

    static func request(_ text: String, _ sender: Peer) -> String? { read(text, sender).request }

    static func error(_ text: String, _ sender: Peer) -> Int? { read(text, sender).error }

    static func rows(_ text: String, _ sender: Peer, of command: CommandID) -> [ChangeRow] {
        guard case .changes(let changes) = read(text, sender).body else { return [] }
        return changes.enumerated().map { position, change in
            ChangeRow(
                command: command, position: position, bucket: "notes", key: change.key,
                operation: change.operation?.text, sv: change.sv, ev: change.ev, cv: change.cv,
                ccid: change.ccids.isEmpty ? nil : change.ccids.joined(separator: " "),
                clientID: change.clientID, error: change.error,
                offset: change.range.lowerBound, size: change.range.count)
        }
    }

    private static func read(_ text: String, _ sender: Peer) -> SimperiumCommand {
        SimperiumCommand.parse(Array(text.utf8), from: sender)
    }
}
