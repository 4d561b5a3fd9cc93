import Filters
import Wire

extension ActionSpecification {
    /// The action `edit`.
    static let edit = ActionSpecification(
        .edit,
        [
            Parameter(
                "what", .text, positional: true, required: true,
                values: EditedPart.allCases.map(\.rawValue),
                "What is changed: json, json-remove, xml, form or replace in the body; query, path, "
                    + "header or status in the head."),
            Parameter(
                "at", .text, positional: true, required: true,
                "Where: a JSON pointer, a path in XML, the name of a field, a regular expression; or the "
                    + "path or status to be sent."),
            Parameter(
                "to", .text, positional: true,
                "What is to be there: JSON or else a string, the value of the field, or the text "
                    + "in place of each match, with $1 for its first group."),
            Parameter(
                "sender", .text, values: ["client", "server"],
                "Whose message: client for the request, server for the response; default: client "
                    + "for form, query and path, otherwise server; of WebSocket messages those of both."
            ),
        ],
        .exchange + [.message],
        "Changes a message by what it means; length, transfer coding and content coding stay right.",
        example: "api:commcare.restore => edit header X-Environment staging",
        effect: { _ in .altered },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true),
        purpose: .edit,
        problem: { $0.editProblem },
        side: { $0.editedSide })
}

extension FaultAction {
    /// Whose message an action `edit` changes.
    var editedSide: Peer {
        (text("sender") ?? EditedPart(self)?.sender) == "client" ? .client : .server
    }

    /// Why the arguments of an action `edit` do not go together; nil where they do.
    fileprivate var editProblem: String? {
        guard let part = EditedPart(self) else { return nil }
        if part.hasValue == true, text("to") == nil {
            return "edit \(part.rawValue) needs what is to be there"
        }
        if part.hasValue == false, text("to") != nil {
            return "edit \(part.rawValue) takes one value"
        }
        if let own = part.sender, let sender = text("sender"), sender != own {
            return "\(part.rawValue) is in the messages of the \(own) alone"
        }
        let place = text("at") ?? ""
        switch part {
        case .status:
            guard let status = Int(place), (200...599).contains(status) else {
                return "\(place) is no status: it is a whole number in 200...599"
            }
        case .header:
            guard HeaderShape.isName(place), HeaderShape.isValue(text("to") ?? "") else {
                return "\(place) with this value is no header field"
            }
        case .path:
            guard let to = text("to") else {
                return HeaderShape.isPath(place)
                    ? nil : "\(place) is no path: it begins with / and has no query"
            }
            guard HeaderShape.isPath("/" + to) else {
                return "\(to) is no part of a path, which has no query"
            }
            return Self.problem { () throws(EditProblem) in
                _ = try ContentEdit.replacement(to, for: try ContentEdit.regex(place))
            }
        case .query, .form, .json, .jsonRemove, .replace, .xml:
            return Self.problem { () throws(EditProblem) in _ = try ContentEdit(self) }
        }
        return nil
    }

    private static func problem(_ body: () throws(EditProblem) -> Void) -> String? {
        do throws(EditProblem) {
            try body()
            return nil
        } catch {
            return error.text
        }
    }
}
