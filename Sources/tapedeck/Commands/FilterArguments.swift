import ArgumentParser
import Filters
import Trace

/// A trace or a fleet, and a filter for what is in it.
struct FilterArguments: ParsableArguments {
    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(
        help: "Which exchanges and commands, in the filter language (default: all).",
        completion: .custom { _, _, prefix in Completion.filters(prefix) })
    var filter: [String] = []

    /// The filter; nil without one.
    func parsed() throws(Failure) -> Filter? { try Self.parsed(filter) }

    /// The filter of these words; nil without one.
    static func parsed(_ filter: [String]) throws(Failure) -> Filter? {
        let text = filter.joined(separator: " ")
        guard !filter.isEmpty else { return nil }
        do {
            return try Filter.parse(text)
        } catch {
            if let own = MitmproxyFilter.translated(text) {
                throw Failure(
                    .usage,
                    "'\(ListLine.clean(text))' is in the language of mitmproxy: write "
                        + "'\(ListLine.clean(own))'; see tapedeck help filters")
            }
            throw Failure(error, in: text)
        }
    }

    /// The filter as it was written.
    var filterText: String { filter.joined(separator: " ") }

    /// A reader of the trace; its warning goes to standard error.
    func open() throws(Failure) -> TraceReader { try TraceReader.opened(trace) }
}

extension TraceReader {
    /// A reader of the trace at `path`; its warning goes to standard error.
    static func opened(_ path: String) throws(Failure) -> TraceReader {
        do {
            let reader = try TraceReader(path: path)
            if let warning = reader.warning { StandardError.write("tapedeck: \(warning)\n") }
            return reader
        } catch {
            throw Failure(error)
        }
    }

    /// Runs a read and turns its failure into one for the user.
    func reading<T>(_ body: (TraceReader) throws(TraceError) -> T) throws(Failure) -> T {
        do {
            return try body(self)
        } catch {
            throw Failure(error)
        }
    }
}
