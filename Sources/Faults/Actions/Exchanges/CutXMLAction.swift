import Filters
import Wire

extension ActionSpecification {
    /// The action `cut-xml`.
    static let cutXML = ActionSpecification(
        .cutXML,
        [
            Parameter(
                "at", .size, positional: true, range: 0...(.max),
                "Bytes of the decoded body that are kept; default: half of them.")
        ],
        [.responseBody],
        "Cuts an XML document in its middle, with a correct Content-Length: only a parser "
            + "notices.",
        example: "api:commcare.restore => cut-xml first=1",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
