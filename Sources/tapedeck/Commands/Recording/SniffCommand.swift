import ArgumentParser
import Capturing
import Formats
import Foundation
import Trace

/// `tapedeck sniff`.
struct SniffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sniff",
        abstract:
            "Capture traffic passively on an interface and write it to a trace.",
        discussion: """
            The first line of output is `capturing on INTERFACE`; SIGINT or SIGTERM ends it with a \
            summary, a second signal at once. Capturing needs the capability CAP_NET_RAW; \
            privileges are dropped as soon as the interface is open.

            Example: tapedeck sniff lo app.tape --bpf 'tcp port 8000'
            """)

    @Argument(help: "The interface, such as lo; `any` is all of them.")
    var interface: String?

    @Argument(help: "The trace to write; one that exists gains a session.", completion: .file())
    var trace: String?

    @Flag(help: "List the interfaces and exit.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Capture packets that match this expression in the syntax of tcpdump, such as `tcp port 80`.",
            valueName: "expression"))
    var bpf: String?

    @Option(
        help: ArgumentHelp(
            "Decrypt TLS with the secrets that are appended to this file (SSLKEYLOGFILE).",
            valueName: "file"), completion: .file())
    var keylog: String?

    @Flag(help: "Keep the packets as well, to export them as they were.")
    var keepPackets = false

    @Flag(help: "Capture packets for other machines too.")
    var promiscuous = false

    @Flag(name: .shortAndLong, help: "Print no line for each exchange and command.")
    var quiet = false

    @Option(name: .customLong("for"), help: "Stop after this time, such as 30s or 5m.")
    var duration: TimeSpan?

    func validate() throws {
        guard !list else { return }
        guard interface != nil, trace != nil else {
            throw ValidationError("give INTERFACE and TRACE, or --list for the interfaces")
        }
    }

    func run() throws {
        guard let interface, let trace, !list else { return try printInterfaces() }
        do {
            try listen(on: interface, to: trace)
        } catch let error as CaptureError {
            throw Failure(FileError(error))
        } catch let error as TraceError {
            throw Failure(error)
        }
    }

    private func printInterfaces() throws {
        let all: [NetworkInterface]
        do {
            all = try NetworkInterface.all()
        } catch {
            throw Failure(FileError(error))
        }
        for each in all {
            var words = [each.name]
            words += each.addresses.map(\.description)
            if each.isLoopback { words.append("loopback") }
            if !each.isUp { words.append("down") }
            if let summary = each.summary { words.append("(\(summary))") }
            StandardOutput.write(words.joined(separator: " ") + "\n")
        }
    }

    private func listen(on interface: String, to trace: String) throws {
        let stop = CaptureStop()
        let capture = try LiveCapture(
            interface: interface, expression: bpf, isPromiscuous: promiscuous, stop: stop)
        // The interface is open: nothing else needs privileges, least of all writing the trace.
        let rights = try Privileges.drop()
        StandardOutput.detach("the capture")
        let keys = try keylog.map { try GrowingFile(path: $0) }
        let stopped = StopReason()
        let lines = LiveLines(isQuiet: quiet)
        var options = TraceOptions()
        options.onCommit = { lines.show($0) }
        options.onWarning = { StandardError.write("tapedeck: \($0)\n") }
        options.onStop = { error in
            stopped.set(Failure(error))
            stop.request()
        }
        let started = Int64(Date().timeIntervalSince1970 * 1e9)
        let notice = { (line: String) in StandardError.write("tapedeck: \(line)\n") }
        let path = try TraceAccess.path(trace, notice: notice)
        let writer = try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .capture, version: Program.version,
                arguments: CommandLine.arguments.dropFirst().joined(separator: " "),
                startedUnixNanoseconds: started),
            options: options)
        do {
            try TraceAccess.tighten(path, notice: notice)
        } catch {
            writer.finish("others can read the trace")
            throw error
        }
        let session = CaptureSession(
            to: writer, startedUnixNanoseconds: started, keepsPackets: keepPackets)
        if keepPackets { capture.keep = { session.keep($0) } }
        StopSignal().whenStopped { stop.request() }
        if let duration {
            Task {
                try? await Task.sleep(nanoseconds: UInt64(duration.nanoseconds))
                stop.request()
            }
        }
        StandardOutput.write("capturing on \(interface)\n")
        if StandardError.isTerminal { StandardError.write("tapedeck: \(rights)\n") }
        lines.start()
        var problem: CaptureError?
        do throws(CaptureError) {
            while let reading = try capture.next() {
                if let text = keys?.new(), let keylog { session.addSecrets(text, from: keylog) }
                session.take(reading, isLive: true)
            }
        } catch {
            problem = error
        }
        let statistics = capture.statistics()
        if let text = keys?.new(), let keylog { session.addSecrets(text, from: keylog) }
        let summary = CaptureSummary(session.finish(packets: capture.counts))
        let totals = writer.finish(stopped.detail ?? "stopped")
        let dropped = statistics.droppedByKernel + statistics.droppedByInterface
        StandardOutput.write(
            (summary.lines + [
                "\(statistics.received) packets received, \(statistics.droppedByKernel) dropped by "
                    + "the kernel, \(statistics.droppedByInterface) by the interface"
            ]).joined(separator: "\n") + "\n")
        Summary.print(totals, trace: writer.path)
        if dropped > 0 {
            StandardError.write(
                "tapedeck: \(dropped) packets were dropped; --bpf EXPR captures fewer\n")
        }
        if let problem { throw problem }
        if let failure = stopped.failure ?? writer.failure.map(Failure.init) { throw failure }
    }
}
