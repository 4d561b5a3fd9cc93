/// The fields of one part of a multipart body.
public struct MultipartHead: Hashable, Sendable {
    /// The field lines as sent, up to and with the empty line.
    public let bytes: [UInt8]
    /// The places of the field lines in ``bytes``.
    public let fields: [HTTPField]
    /// `name` of the content disposition.
    public let name: String?
    /// `filename` of the content disposition.
    public let filename: String?
    /// Value of `Content-Type`.
    public let contentType: String?

    /// Reads the field lines of a part, the last line being empty.
    init(bytes: [UInt8]) {
        var notes = HTTPNoteList()
        var reader = HTTPFieldReader()
        reader.read(bytes.span, from: 0, lines: 0, notes: &notes)
        self.bytes = bytes
        fields = reader.fields
        func value(_ name: String) -> String? {
            let span = bytes.span
            for field in reader.fields where span.isEqual(field.name, ignoringCaseOf: name) {
                return span.copied(field.value)
                    .map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }.lossyText
            }
            return nil
        }
        let disposition = value("content-disposition").map(ParameterizedValue.parse)
        name = disposition?["name"]
        filename = disposition?["filename"]
        contentType = value("content-type")
    }
}
