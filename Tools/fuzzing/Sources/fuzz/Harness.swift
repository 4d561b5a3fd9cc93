/// What one parser is put through.
struct Harness: Sendable {
    /// As `Tools/fuzz` calls it; its corpus is the folder of that name.
    let name: String
    /// Longest input that libFuzzer tries, in bytes.
    var longest = 4096
    /// Parses the input and demands what has to hold.
    let run: @Sendable ([UInt8]) -> Void

    /// All there are.
    static let all: [Harness] = [
        [json], simperium, [message, server, client], diffs, openRosa, [commCare], http, framing,
        tls, filters, packets, [streams], capturedTLS, archives, [relay], [addon], [editing],
        [assistants],
    ]
    .flatMap(\.self)

    /// The harness with this name.
    static func named(_ name: String) -> Harness? { all.first { $0.name == name } }
}
