import Framing
import Wire

/// What actions change in a message.
extension HTTPGate {
    /// Carries out a change of a head.
    ///
    /// - Returns: Whether it could be, and changed something.
    func editHead(
        _ step: Firing, _ head: inout EditableHead?, _ passage: MessagePassage, _ at: Instant,
        _ made: inout [GateCommand]
    ) -> Bool {
        var work = head ?? EditableHead(passage.head)
        let before = work.bytes
        let action = step.action
        switch action.kind {
        case .setHeader:
            work.set(action.text("name") ?? "", action.text("value") ?? "")
        case .addHeader:
            work.add(action.text("name") ?? "", action.text("value") ?? "")
        case .contentType:
            work.set("Content-Type", action.text("type") ?? "")
        case .edit:
            do throws(EditProblem) {
                try work.edit(action)
            } catch {
                fail([step], at, passage.sender, error.text, &made)
                return false
            }
        case .length:
            guard let size = passage.statedSize else {
                fail([step], at, passage.sender, "there is no Content-Length", &made)
                return false
            }
            let (sum, isFar) = size.addingReportingOverflow(action.integer("by") ?? 0)
            work.set("Content-Length", String(isFar ? size : max(0, sum)))
        default:
            _ = work.remove(action.text("name") ?? "")
        }
        guard work.bytes != before else {
            fail([step], at, passage.sender, "the head is the same with it", &made)
            return false
        }
        head = work
        tell(step, at, passage.sender, hasTaken: true, detail: note(on: step, passage), &made)
        return true
    }

    /// The server that a request is sent to.
    func route(
        _ step: Firing, _ passage: MessagePassage, _ at: Instant, _ made: inout [GateCommand]
    ) -> GateContext.Server? {
        guard HTTPRequestKind(passage.head) != .connect else {
            fail([step], at, .client, "a tunnel is not mapped, the requests in it are", &made)
            return nil
        }
        tell(step, at, .client, hasTaken: true, detail: note(on: step, passage), &made)
        return step.action.text("value").flatMap { GateContext.Server(url: $0) }
    }

    /// Carries out a change of a body.
    ///
    /// - Returns: Whether it could be, and changed something.
    func editBody(
        _ step: Firing, _ body: inout EditedBody?, _ passage: MessagePassage, _ at: Instant,
        _ made: inout [GateCommand]
    ) -> Bool {
        do throws(EditProblem) {
            var work = body ?? EditedBody(passage.content, passage.head)
            guard !passage.content.isEmpty else { throw EditProblem(Self.noBody) }
            if work == nil { throw EditProblem("the body cannot be decoded") }
            if let edit = try ContentEdit(step.action) {
                try work?.edit(edit)
            } else {
                guard body?.isCut != true else { throw EditProblem(Self.editedTwice) }
                guard work?.isXML == true else { throw EditProblem("the body is not XML") }
                guard work?.cut(at: step.action.integer("at")) == true else {
                    throw EditProblem("the body ends before")
                }
            }
            body = work
        } catch {
            fail([step], at, passage.sender, error.text, &made)
            return false
        }
        tell(step, at, passage.sender, hasTaken: true, detail: note(on: step, passage), &made)
        return true
    }

    /// Has an edit done while the body of a response comes.
    ///
    /// - Returns: Whether that is possible.
    func stream(_ step: Firing, _ passage: inout MessagePassage) -> Bool {
        guard passage.mayStream, passage.editor.isIdle,
            var stream = passage.stream
                ?? StreamedEdit(passage.head, isOld: waiting.first?.head.version != "HTTP/1.1"),
            stream.add(step.action)
        else { return false }
        passage.stream = stream
        return true
    }

    /// Ends the edits of a body that came meanwhile; of one that is cut off what was held goes on.
    func endStream(
        _ passage: inout MessagePassage, isCut: Bool = false, _ commands: inout [GateCommand]
    ) {
        guard var stream = passage.stream else { return }
        passage.stream = nil
        let rest = stream.finish(isCut: isCut)
        guard !rest.isEmpty else { return }
        if case .replace(passage.sender, let bytes, let others)? = commands.last {
            commands.removeLast()
            commands.append(.replace(sender: passage.sender, bytes, by: others + rest))
        } else {
            commands.append(.make(sender: passage.sender, rest))
        }
    }

    /// What about a message no longer fits after an edit.
    func note(on step: Firing, _ passage: MessagePassage) -> String? {
        let part = EditedPart(step.action)
        guard part != nil || step.action.kind == .map else { return nil }
        return CoveringFields.note(
            on: part, named: part == .header ? step.action.text("at") : nil, in: passage.head,
            api: passage.api)
    }
}
