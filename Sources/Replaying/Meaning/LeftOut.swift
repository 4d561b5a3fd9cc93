/// What takes no part in comparing two messages.
///
/// The value of what is volatile is left out, its presence is compared: a restore without `since`
/// is another request than one with. What a rule names is left out altogether.
public struct LeftOut: Hashable, Sendable {
    /// What is written where a value was left out.
    public static let mark = "*"

    /// The rules.
    public let rules: [IgnoreRule]
    private(set) var maskedXML: PathPatterns
    private(set) var maskedJSON: PathPatterns
    private(set) var maskedFields: Set<String>
    private(set) var droppedXML = PathPatterns()
    private(set) var droppedJSON = PathPatterns()
    private(set) var droppedFields: Set<String> = []
    private(set) var droppedHeaders: Set<String>

    /// What is volatile in OpenRosa, CommCare and Simperium, and what the rules name.
    ///
    /// - Parameters:
    ///   - rules: What else is left out.
    ///   - keepsVolatile: Whether what is volatile is compared after all.
    public init(rules: [IgnoreRule] = [], keepsVolatile: Bool = false) {
        self.rules = rules
        maskedXML = PathPatterns(keepsVolatile ? [] : Self.volatileXML.compactMap(PathPattern.init))
        maskedJSON = PathPatterns(
            keepsVolatile ? [] : Self.volatileJSON.compactMap(PathPattern.init))
        maskedFields = keepsVolatile ? [] : Self.volatileFields
        droppedHeaders = keepsVolatile ? [] : Self.volatileHeaders
        for rule in rules {
            switch rule {
            case .json(let pattern): droppedJSON.insert(pattern)
            case .xml(let pattern): droppedXML.insert(pattern)
            case .path(let pattern):
                droppedJSON.insert(pattern)
                droppedXML.insert(pattern)
            case .header(let name): droppedHeaders.insert(name)
            case .query(let name): droppedFields.insert(name)
            }
        }
    }

    /// Leaves out the values at this place of JSON.
    mutating func mask(json pattern: PathPattern) { maskedJSON.insert(pattern) }

    /// What is volatile, without rules.
    public static let usual = LeftOut()

    /// Elements and attributes that are new each time: identifiers of the instance and the device,
    /// the times of the form, what a server issues as sync token, and the day of a restore's
    /// registration, which a server that keeps no accounts takes from its calendar.
    public static let volatileXML = [
        "//meta/instanceID", "//meta/deprecatedID", "//meta/deviceID", "//meta/timeStart",
        "//meta/timeEnd", "//meta/drift", "//case/@date_modified", "//restore_id",
        "//Registration/date", "/*/@instanceID",
    ]
    /// Tokens and identifiers of devices in JSON.
    public static let volatileJSON = [
        "//access_token", "//refresh_token", "//id_token", "//token", "//deviceID", "//device_id",
        "//instanceID",
    ]
    /// The same in queries and forms; `since` is a sync token.
    public static let volatileFields: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "csrfmiddlewaretoken", "deviceID",
        "device_id", "instanceID", "since",
    ]
    /// Header fields about one transfer only, in lower case.
    public static let volatileHeaders: Set<String> = [
        "age", "authorization", "connection", "content-encoding", "content-length", "cookie",
        "date", "etag", "expires", "keep-alive", "last-modified", "proxy-connection",
        "sec-websocket-accept", "sec-websocket-key", "server",
        "set-cookie", "transfer-encoding", "vary", "via", "x-openrosa-deviceid", "x-request-id",
    ]

    /// Whether this header field is left out.
    ///
    /// - Parameter name: Its name in lower case.
    /// - Returns: True for what belongs to one transfer, and for what a rule names.
    public func leavesOut(header name: String) -> Bool { droppedHeaders.contains(name) }
}
