import Addons
import ArgumentParser
import Faults
import Foundation
import Proxying
import Synchronization
import Trace
import Wire

/// Options for programs that judge the traffic.
struct AddonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask this program, or file of Lua, about the traffic; may be repeated.",
            valueName: "command"))
    var addon: [String] = []

    @Option(
        help: ArgumentHelp(
            "Time that an add-on has for the verdict about an event (default: 1s).",
            valueName: "duration"))
    var addonDeadline: TimeSpan?

    func validate() throws {
        if addonDeadline != nil, addon.isEmpty {
            throw ValidationError("--addon-deadline goes with --addon")
        }
    }
}

/// The add-ons of a recording.
final class RecordedAddons: Sendable {
    private let members: [LiveAddons.Member]
    private let writer: TraceWriter
    private let session: FaultSession
    private let proxy = Mutex<ProxyServer?>(nil)

    /// Starts the add-ons, and waits until each has said what it wants.
    ///
    /// - Throws: ``Failure`` where one does not run.
    init(
        _ options: AddonOptions, session: FaultSession, writer: TraceWriter
    ) throws(Failure) {
        self.session = session
        self.writer = writer
        var limits = AddonLimits()
        if let deadline = options.addonDeadline {
            limits.deadlineNanoseconds = deadline.nanoseconds
        }
        var made: [LiveAddons.Member] = []
        for (number, command) in options.addon.enumerated() {
            let name = Self.name(command, number + 1)
            let addon = try AddonSource(command).addon(
                limits,
                AddonReport(
                    line: { StandardError.write("\(name): \($0)\n") },
                    warning: { Self.warn("the add-on \(name): \($0)", writer) },
                    aside: { Self.write($0, nil, name, writer) },
                    listens: { session.setAsked($0?.asked ?? [], by: name) },
                    now: { writer.now() }))
            made.append(LiveAddons.Member(name: name, addon: addon))
        }
        members = made
        for member in members where !member.addon.start() {
            finish(isAborted: true)
            throw Failure(.failed, "the add-on \(member.name) does not run; nothing is recorded")
        }
        session.asker = LiveAddons(members, effects: effects)
    }

    /// The name of an add-on: that of its file, or its command where it is a single word.
    private static func name(_ command: String, _ number: Int) -> String {
        let words = command.split(separator: " ")
        let file = words.last { $0.hasSuffix(".py") || $0.hasSuffix(".lua") } ?? words.first ?? ""
        let name = file.split(separator: "/").last.map(String.init) ?? "add-on"
        return number == 1 ? name : "\(name)-\(number)"
    }

    private var effects: LiveAddons.Effects {
        LiveAddons.Effects(
            decide: { [self] in proxy.withLock(\.self)?.decide($0, $1) },
            send: { [self] connection, bytes, receiver in
                let action = FaultAction(
                    .send,
                    [
                        "text": .text(String(decoding: bytes, as: UTF8.self)),
                        "to": .text(receiver.description),
                    ])
                let firing = Firing(
                    rule: "add-on", action: action, scope: "", occurrence: 1,
                    draw: UInt64.random(in: .min ... .max))
                proxy.withLock(\.self)?.fireSoon(firing, on: connection)
            },
            write: { [writer] in Self.write($0, $1, $2, writer) },
            warn: { [writer] in Self.warn("the add-on \($0): \($1)", writer) },
            unixSeconds: { Int64(Date().timeIntervalSince1970) })
    }

    /// From now on messages may wait: this is where they are.
    func serve(_ proxy: ProxyServer) { self.proxy.withLock { $0 = proxy } }

    /// Lets the add-ons end.
    func finish(isAborted: Bool = false) {
        session.asker = nil
        for member in members { member.addon.finish(isAborted: isAborted) }
    }

    private static func warn(_ text: String, _ writer: TraceWriter) {
        StandardError.warn(text)
        _ = writer.put([.event(EventRow(.warning, at: writer.now(), detail: text))])
    }

    private static func write(
        _ aside: AddonAside, _ connection: ConnectionID?, _ name: String, _ writer: TraceWriter
    ) {
        let at = writer.now()
        switch aside {
        case .mark(let text): _ = writer.put([.mark(MarkRow(at: at, name: text))])
        case .note(let text):
            let row = EventRow(.note, connection: connection, at: at, detail: "\(name): \(text)")
            _ = writer.put([.event(row)])
        case .send: break
        }
    }
}
