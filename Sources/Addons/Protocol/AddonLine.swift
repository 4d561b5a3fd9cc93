import Notation
import Wire

/// A line of an add-on after its hello.
public struct AddonLine: Hashable, Sendable {
    /// What a line says.
    public enum Content: Hashable, Sendable {
        /// What becomes of an event.
        case verdict(AddonVerdict)
        /// Something beside a verdict.
        case aside(AddonAside)

        /// Its name in the protocol.
        var name: String {
            switch self {
            case .verdict(let verdict): verdict.name
            case .aside(let aside): aside.name
            }
        }

        /// Whether it goes with events of this kind.
        func isApplicable(to kind: AddonEventKind) -> Bool {
            switch self {
            case .verdict(let verdict): verdict.isApplicable(to: kind)
            case .aside(.send): kind == .message || kind == .command
            case .aside: true
            }
        }
    }

    /// The event it is about; nil for a mark or note about the session.
    public let id: Int64?
    /// What it says.
    public let content: Content
    /// Offset of the name of the verdict in the line.
    let offset: Int
    /// Offset of the identifier in the line.
    let idOffset: Int

    /// The line whose bytes, without its end, are these.
    ///
    /// - Throws: ``AddonError`` with the place.
    public init(_ line: [UInt8], limits: AddonLimits = AddonLimits()) throws(AddonError) {
        var members = try AddonMembers(line)
        let node = try members.need("verdict")
        let name = try AddonMembers.text(node, "verdict")
        offset = node.range.lowerBound
        let isAboutSession = (name == "mark" || name == "note") && !members.has("id")
        if isAboutSession {
            id = nil
            idOffset = 0
        } else {
            let node = try members.need("id")
            guard let value = node.int, value > 0 else {
                throw AddonError(
                    .invalid("id", expected: "the id of an event"), at: node.range.lowerBound)
            }
            id = value
            idOffset = node.range.lowerBound
        }
        content = try Self.content(name, offset, &members, limits)
        try members.finish()
    }

    private static func content(
        _ name: String, _ offset: Int, _ members: inout AddonMembers, _ limits: AddonLimits
    ) throws(AddonError) -> Content {
        switch name {
        case "pass": return .verdict(.pass)
        case "drop": return .verdict(.drop)
        case "delay":
            let range = 0...limits.delayMilliseconds
            guard let time = try members.integer("milliseconds", in: range) else {
                throw AddonError(.missing("milliseconds"), at: offset)
            }
            return .verdict(.delay(nanoseconds: time * 1_000_000))
        case "edit", "answer":
            let isAnswer = name == "answer"
            var edit = AddonEdit()
            edit.content = try members.content()
            // An interim response or a switch of protocols needs what comes after it.
            edit.status = try members.integer("status", in: 200...599).map { Int($0) }
            edit.fields = try members.fields(mayRemove: !isAnswer)
            if isAnswer { return .verdict(.answer(edit)) }
            if let node = members.take("path") { edit.path = try path(node) }
            return .verdict(.edit(edit))
        case "send":
            let node = try members.need("to")
            let receiver: Peer
            switch try AddonMembers.text(node, "to") {
            case "client": receiver = .client
            case "server": receiver = .server
            default:
                throw AddonError(
                    .invalid("to", expected: "client or server"), at: node.range.lowerBound)
            }
            guard let content = try members.content() else {
                throw AddonError(.missing("text"), at: offset)
            }
            return .aside(.send(content, to: receiver))
        case "mark": return .aside(.mark(try shortText(&members, limits)))
        case "note": return .aside(.note(try shortText(&members, limits)))
        default: throw AddonError(.unknownVerdict(AddonMembers.shown(name)), at: offset)
        }
    }

    private static func path(_ node: JSONDocument.Node) throws(AddonError) -> String {
        let path = try AddonMembers.text(node, "path")
        guard path.utf8.first == 0x2F, path.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw AddonError(
                .invalid("path", expected: "a path that begins with / and is ASCII"),
                at: node.range.lowerBound)
        }
        return path
    }

    private static func shortText(
        _ members: inout AddonMembers, _ limits: AddonLimits
    ) throws(AddonError) -> String {
        let node = try members.need("text")
        let text = try AddonMembers.text(node, "text")
        guard !text.isEmpty, text.utf8.count <= limits.textBytes else {
            throw AddonError(
                .invalid("text", expected: "a text of 1 to \(limits.textBytes) bytes"),
                at: node.range.lowerBound)
        }
        return text
    }
}
