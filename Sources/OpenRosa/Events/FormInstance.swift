/// The root of a filled form.
public struct FormInstance: Hashable, Sendable {
    /// Local name of the root element.
    public var root: String
    /// Namespace of the root, which identifies the form.
    public var namespace: String?
    /// `name`.
    public var name: String?
    /// `version`.
    public var version: String?
    /// `uiVersion`.
    public var uiVersion: String?
    /// `id`, which OpenRosa requires where CommCare has the namespace.
    public var id: String?
    /// Whether something is shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the root begins.
    public var position: XMLPosition

    /// Namespace of a device's log, which is submitted like a form.
    public static let deviceReport = "http://code.javarosa.org/devicereport"

    /// A form with these values.
    public init(
        root: String, namespace: String? = nil, name: String? = nil, version: String? = nil,
        uiVersion: String? = nil, id: String? = nil, isCut: Bool = false,
        position: XMLPosition = .start
    ) {
        self.root = root
        self.namespace = namespace
        self.name = name
        self.version = version
        self.uiVersion = uiVersion
        self.id = id
        self.isCut = isCut
        self.position = position
    }
}

/// The `meta` block of a form, matched by local names.
public struct FormMeta: Hashable, Sendable {
    /// Namespace of the block: the form's, or one of OpenRosa's.
    public var namespace: String?
    /// Identifier of this filled form.
    public var instanceID: String?
    /// Identifier of the form that this one replaces (ODK).
    public var deprecatedID: String?
    /// Identifier of the device.
    public var deviceID: String?
    /// When the form was opened, as sent.
    public var timeStart: String?
    /// When the form was finished, as sent.
    public var timeEnd: String?
    /// Name of the user.
    public var username: String?
    /// Identifier of the user.
    public var userID: String?
    /// Version of the application.
    public var appVersion: String?
    /// How far the device's clock is off, in milliseconds, as sent (CommCare).
    public var drift: String?
    /// Everything else, in order.
    public var others: [CaseBlock.Property] = []
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut = false
    /// Where the block begins.
    public var position = XMLPosition.start

    /// An empty block.
    public init() {}
}

/// A file that goes with a form: something in the form names it.
///
/// Named by an attachment of a case that is `from="local"`, or by an answer that is one word with
/// the extension of a picture, a sound, a film or a document.
public struct FileReference: Hashable, Sendable {
    /// Name of the file, and so of the part of the submission.
    public var file: String
    /// Local name of the element that names it.
    public var element: String
    /// Where that element begins; for an attachment, where its case block does.
    public var position: XMLPosition

    /// A reference with these values.
    public init(file: String, element: String, position: XMLPosition = .start) {
        self.file = file
        self.element = element
        self.position = position
    }
}
