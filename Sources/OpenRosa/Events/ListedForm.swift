/// A form in a form list.
///
/// Source: OpenRosa, openrosa-form-list; the older `<forms><form url="…">name</form></forms>`.
public struct ListedForm: Hashable, Sendable {
    /// `name`; the text of an old `form`.
    public var name: String?
    /// `formID`.
    public var formID: String?
    /// `version`.
    public var version: String?
    /// `hash`, such as `md5:…`.
    public var hash: String?
    /// `downloadUrl`; the `url` of an old `form`.
    public var downloadURL: String?
    /// `manifestUrl`.
    public var manifestURL: String?
    /// `descriptionText`.
    public var descriptionText: String?
    /// `descriptionUrl`.
    public var descriptionURL: String?
    /// Everything else, in order.
    public var others: [CaseBlock.Property] = []
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut = false
    /// Where the form begins.
    public var position = XMLPosition.start

    /// An empty form.
    public init() {}
}

/// A file in the manifest of a form.
///
/// Source: OpenRosa, openrosa-form-manifest.
public struct MediaFile: Hashable, Sendable {
    /// `filename`.
    public var filename: String?
    /// `hash`, such as `md5:…`.
    public var hash: String?
    /// `downloadUrl`.
    public var downloadURL: String?
    /// Everything else, in order.
    public var others: [CaseBlock.Property] = []
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut = false
    /// Where the file begins.
    public var position = XMLPosition.start

    /// An empty file.
    public init() {}
}
