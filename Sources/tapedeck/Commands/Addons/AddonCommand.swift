import Addons
import ArgumentParser
import Foundation
import Trace
import Wire

/// `tapedeck addon`.
struct AddonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "addon",
        abstract: "Run an add-on over a stored trace: it watches, and changes nothing.",
        discussion: """
            COMMAND is started as for a recording, and asked about the requests, \
            responses, messages, commands and connections of the trace in order. Its marks and \
            notes are printed; other verdicts are counted. Exits with status 1 where it \
            ended, was silent or wrote what is not understood.

            Examples:
              tapedeck addon 'python3 forms.py' app.tape
              tapedeck addon ./report app.tape api:commcare.submit --json
            """)

    @Argument(help: "The program, as a shell takes it, or a file of Lua.")
    var command: String

    @OptionGroup var arguments: FilterArguments

    @Option(
        help: ArgumentHelp(
            "Time that it has for the verdict about an event (default: 10s).",
            valueName: "duration"))
    var deadline: TimeSpan?

    @Flag(help: "Print a JSON object per line.")
    var json = false

    func run() throws {
        let filter = try arguments.parsed()
        let reader = try arguments.open()
        signal(SIGPIPE, SIG_IGN)
        let output = AddonLinesOfTrace(isJSON: json)
        var limits = AddonLimits()
        limits.deadlineNanoseconds = deadline?.nanoseconds ?? 10_000_000_000
        limits.isRestarted = false
        let clock = ContinuousClock()
        let began = clock.now
        let addon = try AddonSource(command).addon(
            limits,
            AddonReport(
                line: { StandardError.write("\($0)\n") },
                warning: { StandardError.warn("the add-on \(command): \($0)") },
                aside: { output.print($0, nil) },
                now: { Instant(nanoseconds: (clock.now - began).nanoseconds) }))
        guard addon.start(), let hello = addon.hello else {
            addon.finish(isAborted: true)
            throw Failure(.failed, "the add-on \(command) does not run")
        }
        let events = StoredEvents(reader: reader, kinds: hello.kinds)
        var count = 0
        do {
            try reader.reading { reader throws(TraceError) in
                let lines = LineBatches(path: reader.path, filter, with: .all)
                var failure: TraceError?
                try lines.forEachLine { line in
                    do throws(TraceError) {
                        try events.forEach(of: line) { event, row in
                            count += 1
                            guard let interest = AddonInterest(event, in: hello) else { return }
                            addon.waitForRoom()
                            addon.ask(event, interest) { reply in
                                if case .aside(let aside) = reply { output.print(aside, row) }
                            }
                        }
                    } catch { failure = error }
                    return failure == nil && addon.counts.failures == 0
                }
                if let failure { throw failure }
            }
        } catch {
            addon.finish(isAborted: true)
            throw error
        }
        addon.finish(isAborted: addon.counts.failures > 0)
        StandardError.warn(Self.summary(addon.counts, of: count))
        guard addon.counts.failures == 0 else {
            throw Failure(
                .failed,
                "the add-on \(command) failed after \(Summary.count(Int64(addon.counts.asked), "event"))"
            )
        }
    }

    /// What was asked and decided, in a line.
    private static func summary(_ counts: AddonCounts, of events: Int) -> String {
        var parts = ["asked about \(counts.asked) of \(Summary.count(Int64(events), "event"))"]
        for (name, count) in counts.verdicts.sorted(by: { $0.key < $1.key }) {
            parts.append("\(count) \(name)")
        }
        if counts.late + counts.expired > 0 { parts.append("\(counts.expired) too late") }
        return parts.joined(separator: ", ")
    }
}

extension AddonHello {
    /// The kinds of events that one of its subscriptions asks for.
    var kinds: Set<AddonEventKind> {
        subscriptions.reduce(into: []) { $0.formUnion($1.kinds) }
    }
}

extension Duration {
    /// The same in nanoseconds.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
