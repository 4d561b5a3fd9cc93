import Foundation
import Simperium
import Wire

/// A change as Foundation's decoder reads it, the map of operations included.
private struct PlainChange: Decodable {
    struct Operation: Decodable {
        var o: String
        var v: String?
    }

    var clientid: String
    var id: String
    var o: String
    var sv: Int
    var ev: Int
    var cv: String
    var ccids: [String]
    var v: [String: Operation]
}

/// `c` messages of a server, one a line: parsed to typed values here and by `JSONDecoder`.
func measureMessages(_ path: String) throws {
    let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A)
    let messages = lines.map { [UInt8]($0) }
    let payloads = lines.map { Data($0[($0.startIndex + "0:c:".utf8.count)...]) }
    let bytes = messages.reduce(0) { $0 + $1.count }
    var changes = 0
    let ours = median(of: 3) {
        for message in messages {
            guard case .changes(let found) = SimperiumCommand.parse(message, from: .server).body
            else { continue }
            changes += found.count
        }
    }
    precondition(changes >= 3 * messages.count, "a message was not read")
    let decoder = JSONDecoder()
    let theirs = try median(of: 3) {
        for payload in payloads {
            changes += try decoder.decode([PlainChange].self, from: payload).count
        }
    }
    report([
        "bytes_per_message": Double(bytes) / Double(messages.count),
        "megabytes_per_second": Double(bytes) / ours / 1e6,
        "foundation_megabytes_per_second": Double(bytes) / theirs / 1e6,
    ])
}
