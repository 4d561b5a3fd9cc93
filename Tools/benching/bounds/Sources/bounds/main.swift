import Dispatch
import Foundation
import NIOCore

// bounds relay HOST PORT LOOPS [record|join FILE] [tls CERTIFICATE KEY AUTHORITY]
// bounds respond SIZE
//
// Says where it listens, and ends with SIGTERM.

var words = CommandLine.arguments.dropFirst()
var recorder: Recorder?
let channel: any Channel
switch words.popFirst() {
case "relay":
    guard let host = words.popFirst(), let port = words.popFirst().flatMap({ Int($0) }),
        let loops = words.popFirst().flatMap({ Int($0) })
    else { exit(64) }
    var tls: RelayTLS?
    while let word = words.popFirst() {
        switch word {
        case "record", "join":
            guard let path = words.popFirst() else { exit(64) }
            recorder = Recorder(path, joinsReads: word == "join")
        case "tls":
            let files = words.prefix(3)
            guard files.count == 3 else { exit(64) }
            tls = try RelayTLS(
                certificate: files[files.startIndex], key: files[files.startIndex + 1],
                authority: files[files.startIndex + 2])
            words = words.dropFirst(3)
        default: exit(64)
        }
    }
    channel = try relay(to: host, port, tls: tls, recorder: recorder, loops: loops)
case "respond":
    guard let size = words.popFirst().flatMap({ Int($0) }) else { exit(64) }
    channel = try respond(size: size)
default: exit(64)
}
signal(SIGTERM, SIG_IGN)
let terminated = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
terminated.setEventHandler {
    recorder?.end()
    exit(0)
}
terminated.resume()
FileHandle.standardOutput.write(
    Data("listening on 127.0.0.1:\(channel.localAddress?.port ?? 0)\n".utf8))
dispatchMain()
