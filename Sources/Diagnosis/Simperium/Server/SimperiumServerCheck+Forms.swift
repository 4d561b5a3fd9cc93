import Dissection
import Simperium
import Wire

/// The form of a server's commands: turns notes of the decoder into findings.
extension SimperiumServerCheck {
    func judgeForm(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ socket: borrowing Socket,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let channel = said.channel.flatMap { socket.channels[$0] }
        for note in said.notes {
            guard let (rule, severity) = Self.rule(for: note, said, channel) else { continue }
            let last =
                rule == Rules.notUnderstood
                ? (channel?.last).map { [FindingStep($0, "the client's last command there")] } ?? []
                : []
            add(
                rule, command, channel,
                "\(Self.name(said)) of the server: \(note.detail).", severity: severity,
                steps: last, range: note.offset..<note.offset, session, &report)
        }
        guard let problem = said.problem else { return }
        let codes = said.notes.lazy.map(\.code)
        guard !codes.contains(.sockJSFrame), !codes.contains(.wrongDirection) else { return }
        if case .notACommand = problem {
            add(
                Rules.unknownCommand, command, channel,
                "A message of the server is not a Simperium command.", session, &report)
            return
        }
        add(
            Rules.unreadable, command, channel,
            "\(Self.name(said)) of the server cannot be read: \(problem).",
            range: problem.offset..<problem.offset, session, &report)
    }

    private static func name(_ said: SimperiumCommand) -> String {
        said.name.isEmpty ? "A message" : "`\(Quote.escaped(said.name))`"
    }

    /// The rule that a note breaks, if any, and its severity where it is not the usual one.
    private static func rule(
        for note: SimperiumNote, _ said: SimperiumCommand, _ channel: Channel?
    ) -> (Rule, FindingRow.Severity?)? {
        switch note.code {
        case .changeMissing:
            switch note.field {
            case "ccids": channel?.hasNamelessChange == true ? nil : (Rules.ackWithoutCcids, nil)
            case "clientid": (Rules.changeIncomplete, .warning)
            default: (Rules.changeIncomplete, nil)
            }
        case .ccidFromServer: (Rules.ackWithoutCcids, nil)
        case .changeNotAnObject: (Rules.changeIncomplete, nil)
        case .changeObjectFromServer: (Rules.changeNotInArray, nil)
        case .versionsDescend, .versionRange: (Rules.versionsDescend, nil)
        case .versionAsString, .versionUnreadable: (Rules.versionForm, nil)
        case .errorAsString: (Rules.errorForm, nil)
        case .errorUnreadable: (Rules.errorForm, .error)
        case .errorUnknown: (Rules.errorUnknown, nil)
        case .changeOperation: (Rules.unknownOperation, nil)
        case .operationUnknown, .operationMalformed, .deltaMalformed: (Rules.diffMalformed, nil)
        case .questionMark, .bareQuestionMark: (Rules.notUnderstood, nil)
        case .noCurrent, .emptyCurrent: (Rules.pageCurrent, nil)
        case .noIndex, .indexEntry: (Rules.pageForm, nil)
        case .emptyMark: (Rules.emptyMark, nil)
        case .entityWithoutData: (Rules.entityForm, nil)
        case .notAnObject where note.field == "data": (Rules.entityForm, nil)
        case .authExpired: (Rules.authForm, .info)
        case .authLooksLikeJSON, .authEmpty, .authWithoutCode: (Rules.authForm, nil)
        case .cvReply: (Rules.cvForm, nil)
        case .unknownCVAsChange: channel?.isModern == true ? (Rules.cvForm, nil) : nil
        case .unknownCommand: (Rules.unknownCommand, nil)
        case .wrongDirection: (Rules.wrongDirection, nil)
        case .noChannel: (Rules.badPrefix, said.name == "c" ? .warning : nil)
        case .heartbeatOnChannel, .logOnChannel: (Rules.badPrefix, nil)
        case .logLevel: (Rules.logLevel, nil)
        case .sockJSFrame: (Rules.sockJSFrame, nil)
        default: nil
        }
    }
}
