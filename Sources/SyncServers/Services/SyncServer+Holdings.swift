internal import NIOCore
public import Notation
internal import Simperium
internal import Wire

/// An object that the Simperium server has, or had.
public struct HeldObject: Hashable, Sendable {
    /// Its key.
    public var key: String
    /// Whether it was removed.
    public var isRemoved: Bool
    /// The data of the versions that are kept, the newest last.
    public var versions: [JSONValue]

    /// An object with these versions.
    public init(key: String, isRemoved: Bool, versions: [JSONValue]) {
        self.key = key
        self.isRemoved = isRemoved
        self.versions = versions
    }

    /// The newest data; nil where it was removed.
    public var data: JSONValue? { isRemoved ? nil : versions.last }
}

/// A form that the CommCare server stored.
public struct HeldForm: Hashable, Sendable {
    /// Its `instanceID`.
    public var instanceID: String
    /// The number of submissions with different bytes under this `instanceID`, at least 1.
    public var count: Int

    /// A form that was stored `count` times.
    public init(instanceID: String, count: Int) {
        self.instanceID = instanceID
        self.count = count
    }
}

/// A case that the CommCare server has.
public struct HeldCase: Hashable, Sendable {
    /// Its `case_id`.
    public var id: String
    /// Whether it is closed.
    public var isClosed: Bool

    /// A case, open or closed.
    public init(id: String, isClosed: Bool) {
        self.id = id
        self.isClosed = isClosed
    }
}

extension SyncServer {
    /// The objects of all buckets of an application with this name, sorted by key.
    public func objects(app: String, bucket: String) -> [HeldObject] {
        router.simperium.objects(app: app, bucket: bucket)
    }

    /// The forms and cases of a CommCare project, sorted by identifier.
    public func filed(domain: String) -> (forms: [HeldForm], cases: [HeldCase]) {
        router.commCare.filed(domain: domain)
    }
}
