import Dissection
import Simperium
import Wire

/// The form of a client's commands: turns notes of the decoder into findings.
extension SimperiumSessionCheck {
    func judgeForm(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ socket: borrowing Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard Self.isFaulty(said) else { return }
        let channel = said.channel.flatMap { socket.channels[$0] }
        var missing: [String] = []
        for note in said.notes {
            if note.code == .initMissing, let field = note.field {
                missing.append(field)
                continue
            }
            guard let (rule, severity) = Self.rule(for: note, in: said) else { continue }
            add(
                rule, command, channel, Self.text(note, said), severity: severity,
                shows: "what was sent", range: note.offset..<note.offset, session, &report)
        }
        if !missing.isEmpty {
            add(
                Rules.initIncomplete, command, channel,
                "The init lacks \(missing.joined(separator: ", ")).", shows: "the init", session,
                &report)
        }
        if let problem = said.problem { judge(problem, said, command, channel, session, &report) }
    }

    /// Whether its form breaks a rule; most notes are about other things.
    private static func isFaulty(_ said: SimperiumCommand) -> Bool {
        said.problem != nil
            || said.notes.contains { $0.code == .initMissing || rule(for: $0, in: said) != nil }
    }

    private static func text(_ note: SimperiumNote, _ said: SimperiumCommand) -> String {
        if note.code == .initWithoutLibrary, case .initialize(let request) = said.body {
            return
                "The init \(lacking(request)); a server may then answer an unknown cv with c:?, as "
                + "to an old client."
        }
        let name = said.name.isEmpty ? "A message" : "`\(Quote.escaped(said.name))`"
        return "\(name) of the client: \(note.detail)."
    }

    /// Which of the two is wrong, and what is right.
    private static func lacking(_ request: InitRequest) -> String {
        let library = request.library ?? ""
        guard !library.isEmpty else {
            let version = request.version.map { "; its version is \(Quote.escaped($0))" } ?? ""
            return "names no library" + (request.version == nil ? " and no version" : version)
        }
        let named = "names the library \(Quote.escaped(library))"
        return request.version.map {
            "\(named), and its version \(Quote.escaped($0)) has to be above 0"
        } ?? "\(named) and no version"
    }

    /// The rule that a note breaks, if any, and its severity where it is not the usual one.
    private static func rule(
        for note: SimperiumNote, in said: SimperiumCommand
    ) -> (Rule, FindingRow.Severity?)? {
        switch note.code {
        case .noChannel: (Rules.badPrefix, nil)
        case .heartbeatOnChannel: (Rules.heartbeatOnChannel, nil)
        case .logOnChannel: (Rules.logOnChannel, nil)
        case .unknownCommand: (Rules.unknownCommand, nil)
        case .wrongDirection: (Rules.wrongDirection, nil)
        case .sockJSFrame: (Rules.sockJSFrame, nil)
        case .clientIDSpelling: (Rules.clientIDSpelling, nil)
        case .initWithoutLibrary: (Rules.initWithoutLibrary, nil)
        case .initAPI: (Rules.initVersion, nil)
        case .numberAsText where said.name == "init" && note.field == "api":
            (Rules.initVersion, nil)
        case .initCommand: (Rules.initCommand, nil)
        case .indexSlots, .indexDataSlot: (Rules.requestForm, nil)
        case .missingPayload where said.name == "i": (Rules.requestForm, nil)
        case .indexLimitRange: (Rules.limit, nil)
        case .indexLimit: (Rules.limit, .warning)
        case .indexMarkInThirdSlot: (Rules.markSlot, nil)
        case .cvEmpty, .cvPlaceholder: (Rules.placeholder, nil)
        case .missingPayload where said.name == "cv": (Rules.placeholder, nil)
        case .versionAsString: (Rules.versionAsString, nil)
        case .pendingsSpelling, .indexEntryAsMember: (Rules.indexForm, nil)
        case .noIndex, .indexEntry: said.name == "index" ? (Rules.indexForm, nil) : nil
        case .pendingIncomplete: note.field == "sv" ? nil : (Rules.indexForm, nil)
        case .logWithoutText: (Rules.logForm, nil)
        default: nil
        }
    }

    private func judge(
        _ problem: SimperiumError, _ said: SimperiumCommand, _ command: CommandEvidence,
        _ channel: Channel?, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let codes = said.notes.lazy.map(\.code)
        // Reported already.
        guard !codes.contains(.sockJSFrame), !codes.contains(.wrongDirection) else { return }
        let rule: Rule
        switch (problem, said.name) {
        case (.notACommand, _): rule = Rules.unknownCommand
        case (.channelTooLarge, _): rule = Rules.badPrefix
        case (_, "init"): rule = Rules.initUnreadable
        case (_, "h"): rule = Rules.heartbeatNumber
        case (_, "e"): rule = Rules.entityMalformed
        case (_, "log"): rule = Rules.logForm
        case (_, "i"), (_, "cv"), (_, "index"): rule = Rules.unreadable
        default: return
        }
        let what = said.name.isEmpty ? "A message" : "`\(said.name)`"
        add(
            rule, command, channel, "\(what) of the client cannot be read: \(problem).",
            shows: "what was sent", range: problem.offset..<problem.offset, session, &report)
    }
}
