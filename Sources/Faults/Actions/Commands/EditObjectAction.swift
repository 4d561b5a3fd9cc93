import Filters
import Wire

extension ActionSpecification {
    /// The action `edit-object`.
    static let editObject = ActionSpecification(
        .editObject,
        [
            Parameter(
                "member", .text, positional: true, required: true,
                "Name of a member of the object."),
            Parameter(
                "to", .text, positional: true, required: true,
                "The value after the change: JSON, or else a string."),
        ],
        [.command], implied: "command:c",
        "Has changes of an object leave a member with a value: the operation in v is replaced, and "
            + "so is the member in d.",
        example: "command:c key:a1 => edit-object title \"another title\"",
        effect: { _ in .altered },
        recovery: ActionRecovery(targetStays: true),
        purpose: .edit)
}
