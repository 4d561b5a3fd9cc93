internal import Dissection
public import Filters
internal import Foundation
public import Trace
internal import Wire

/// Writes the requests that fit a filter as a shell script that sends them again with curl.
///
/// One command after the other, in order of time, each with a comment that describes the exchange.
/// Arguments of the script go to every curl, such as `--connect-to ::127.0.0.1:8080` or
/// `--insecure`. What a script cannot send again is a comment: a WebSocket, a tunnel, a request
/// that is not complete or longer than what is kept decoded.
public struct CurlScript: Sendable {
    /// What was written.
    public struct Outcome: Hashable, Sendable {
        /// Commands.
        public var commands: Int64 = 0
        /// Exchanges that became comments.
        public var comments: Int64 = 0
    }

    /// Which exchanges; nil for all.
    public var filter: Filter?

    /// A script of these exchanges.
    public init(filter: Filter? = nil) { self.filter = filter }

    /// Writes the script of the trace at `trace` to a new file at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - path: The file, which must not be there; `-` for standard output.
    ///   - goesOn: Called before every command; false ends it.
    /// - Returns: What was written.
    /// - Throws: ``FileError``.
    @discardableResult public func run(
        from trace: String, to path: String, while goesOn: () -> Bool = { true }
    ) throws(FileError) -> Outcome {
        try mappingErrors(of: trace) {
            let reader = try TraceReader(path: trace)
            var started: [SessionID: Int64] = [:]
            for session in try reader.sessions() {
                started[session.id] = session.startedUnixNanoseconds
            }
            let file = try NewFile(for: path)
            try file.write(Array(Self.head.utf8))
            var outcome = Outcome()
            var failure: (any Error)?
            try reader.lines(filter) { line in
                guard case .exchange(let session, let row) = line else { return true }
                do {
                    guard goesOn() else { throw FileError.stopped }
                    guard let detail = try reader.exchange(row.id) else { return true }
                    let isCommand = try write(detail, at: started[session] ?? 0, to: file)
                    if isCommand { outcome.commands += 1 } else { outcome.comments += 1 }
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            try file.write(Array("exit \"$failed\"\n".utf8))
            try file.publish()
            return outcome
        }
    }

    private static let head = """
        #!/bin/sh
        # Sends recorded requests again, one after the other. Arguments go to every curl:
        # --connect-to ::127.0.0.1:8080 sends them all there, --insecure trusts every certificate.
        # Ends with the status of the last curl that failed, or 0.
        set -u
        failed=0


        """

    /// Writes a command and its comment; answers false where a comment is all there is.
    private func write(
        _ detail: ExchangeDetail, at started: Int64, to file: NewFile
    ) throws -> Bool {
        let row = detail.row
        let seconds = Double(started &+ row.startedAt.nanoseconds) / 1e9
        let time = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        let status = row.status.map(String.init) ?? "no answer"
        let comment = "# exchange \(row.id), \(time), \(status): \(row.method) \(row.url)"
        try file.write(Array((Self.line(comment) + "\n").utf8))
        if row.status == 101 || detail.request?.head.isWebSocketHandshake == true {
            try file.write(Array("# A WebSocket, which curl does not repeat.\n\n".utf8))
            return false
        }
        do throws(FileError) {
            let command = try CurlCommand(
                detail,
                options: #"--silent --show-error --connect-timeout 10 --max-time 120 "$@""#)
            try file.write(command.bytes + Array(" || failed=$?\n\n".utf8))
            return true
        } catch {
            guard error.code == .malformed else { throw error }
            try file.write(Array((Self.line("# Left out: \(error.reason)") + "\n\n").utf8))
            return false
        }
    }

    /// `text` on one line, whatever characters it has.
    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
                        || (0x2028...0x202E).contains($0.value) ? "\u{FFFD}" : $0
                }))
    }
}

extension [UInt8] {
    /// Whether a request with this head opens a WebSocket.
    fileprivate var isWebSocketHandshake: Bool {
        split { $0 == 0x0A || $0 == 0x0D }.contains { line in
            let text = String(decoding: line, as: UTF8.self).lowercased()
            return text.hasPrefix("upgrade:") && text.contains("websocket")
        }
    }
}
