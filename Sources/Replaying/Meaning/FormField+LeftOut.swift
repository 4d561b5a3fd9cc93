import Notation

extension FormField {
    /// The fields without what is left out, by name; those of one name keep their order.
    static func kept(_ fields: [FormField], _ leftOut: LeftOut) -> [FormField] {
        fields.filter { !leftOut.droppedFields.contains($0.name) }.map { field in
            leftOut.maskedFields.contains(field.name)
                ? FormField(field.name, LeftOut.mark) : field
        }.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
    }
}
