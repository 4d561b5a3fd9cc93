/// A deviation of a document from its specification.
///
/// Never a refusal: real servers and clients send such documents, and others accept them.
public struct OpenRosaNote: Hashable, Sendable {
    /// Stable name, `openrosa.…`; one of ``codes``.
    public var code: String
    /// The same as text, with the values concerned.
    public var detail: String
    /// Where, if it is about one place.
    public var position: XMLPosition?

    /// A note with these values.
    public init(_ code: String, _ detail: String, at position: XMLPosition? = nil) {
        self.code = code
        self.detail = detail
        self.position = position
    }

    /// A note of a breach of Namespaces in XML.
    init(_ error: XMLError) {
        self.init("openrosa.xml-namespace", error.reason.description, at: error.position)
    }

    /// Every code there is, with what it means.
    public static let codes: [(code: String, means: String)] = [
        ("openrosa.namespace-missing", "the root of a response, form list or manifest has none"),
        ("openrosa.namespace-unexpected", "the root or a known element has another namespace"),
        ("openrosa.nature-unknown", "the nature of the message is in no specification"),
        ("openrosa.message-missing", "a response without message"),
        ("openrosa.message-repeated", "a response with more than one message"),
        ("openrosa.message-not-first", "clients look for the message in the first place alone"),
        ("openrosa.items-not-a-number", "`items` of a response is not a number"),
        ("openrosa.items-differ", "`items` is not the number of children, the message counted"),
        ("openrosa.progress-malformed", "`done` or `total` is missing, no number, or too large"),
        ("openrosa.restore-id-missing", "a restore without `restore_id`, or with an empty one"),
        ("openrosa.restore-id-repeated", "a restore with more than one `restore_id`"),
        ("openrosa.restore-id-not-first", "something precedes `restore_id` in `Sync`"),
        ("openrosa.registration-incomplete", "a registration without one of its four fields"),
        ("openrosa.registration-order", "not username, password, uuid, date in this order"),
        ("openrosa.registration-unknown", "a field that devices refuse a registration for"),
        ("openrosa.fixture-id-missing", "a fixture without `id`"),
        ("openrosa.fixture-schema-missing", "an indexed fixture without a schema before it"),
        ("openrosa.case-id-missing", "a case block without `case_id`"),
        ("openrosa.case-date-missing", "a case block without `date_modified`"),
        ("openrosa.case-namespace", "a case block of version 2 outside its namespace"),
        ("openrosa.create-incomplete", "a `create` without type or name"),
        ("openrosa.create-unknown", "a `create` of version 2 with more than type, name and owner"),
        ("openrosa.owner-missing", "a `create` in a block that names neither owner nor user"),
        ("openrosa.value-too-long", "a type, name, owner or external id of over 255 characters"),
        ("openrosa.version-1-index", "an index or attachment in a case block of version 1"),
        (
            "openrosa.property-nested",
            "elements within a property; only the text beside them counts"
        ),
        ("openrosa.index-relationship", "`relationship` is neither `child` nor `extension`"),
        ("openrosa.index-self", "a case with an index to itself"),
        ("openrosa.ledger-incomplete", "a ledger without case, entry or quantity"),
        ("openrosa.xmlns-missing", "a form without namespace"),
        ("openrosa.meta-missing", "a form without `meta`"),
        ("openrosa.meta-namespace", "`meta` in a namespace that no specification names"),
        ("openrosa.instance-id-missing", "a form without `instanceID`, or with an empty one"),
        ("openrosa.instance-id-repeated", "a form with more than one `instanceID`"),
        (
            "openrosa.listed-form-incomplete",
            "a listed form without name, `formID` or `downloadUrl`"
        ),
        ("openrosa.media-file-incomplete", "a file of a manifest without name, hash or URL"),
        ("openrosa.cut", "more than is kept of one event; this is not an error of the sender"),
        (
            "openrosa.too-much",
            "more than one document or body is decoded to; the rest is kept as bytes. This is not "
                + "an error of the sender"
        ),
        ("openrosa.xml-namespace", "a breach of Namespaces in XML, such as an undeclared prefix"),
    ]
}
