import Foundation
import HTTPLayer
import Notation
import OpenRosa
import Simperium
import Trace
import Wire

/// Uses each library once: `outsider TRACE URL`.
guard CommandLine.arguments.count == 3 else {
    print("usage: outsider TRACE URL")
    exit(64)
}
let (trace, url) = (CommandLine.arguments[1], CommandLine.arguments[2])

// The HTTP layer: a request with a payload, retries and a tag.
let manager = HTTPManager()
var request = try Request(url: url, retryCount: 2)
request.requestType = .get
request.payload = ["page": .number("1")]
request.requestTag = "list"
let response = await manager.response(to: request)
print(
    "\(response.requestTag ?? "?"): \(response.metadata?.status ?? 0), \(response.data.count) bytes"
)

// Simperium: a command, and the difference between two objects.
let text = Array(#"0:c:{"id":"note1","o":"M","v":{"title":{"o":"r","v":"new"}},"ccid":"1"}"#.utf8)
let command = SimperiumCommand.parse(text, from: .client)
let (old, new) = (
    try JSONValue(parsing: #"{"title":"old"}"#), try JSONValue(parsing: #"{"title":"new"}"#)
)
let difference = try JSONDiff.diff(old, new)
print(
    "\(command.name) on channel \(command.channel ?? -1): \(try JSONDiff.apply(difference, to: old).text())"
)

// OpenRosa: the case blocks of a form.
var cases: [String] = []
let reader = CommCareReader(purpose: .any) { event in
    if case .caseBlock(let block) = event { cases.append(block.caseID ?? "?") }
}
let form = """
    <data xmlns="http://example.org/form"><case xmlns="http://commcarehq.org/case/transaction/v2" \
    case_id="c1" date_modified="2026-01-01T00:00:00Z"/></data>
    """
try reader.feed(Array(form.utf8).span)
try reader.finish()
print("cases: \(cases.joined(separator: ", "))")

// A trace: what the recording has of a host.
let stored = try TraceReader(path: trace)
var count = 0
try stored.lines { line in
    if case .exchange(_, let row) = line {
        count += 1
        print("\(row.method) \(row.path) \(row.status.map { "\($0)" } ?? "-")")
    }
    return true
}
print("exchanges: \(count)")
