internal import Notation
internal import Wire

/// Header fields and parameters of a request to CommCare, as CommCare Android sends them.
///
/// Source: OpenRosa/Specification.md#request-headers, #query-parameters.
public struct CommCareRequest: Hashable, Sendable {
    /// A name with a value; names may come more than once.
    public struct Field: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value, not escaped.
        public var value: String

        /// The field `name: value`.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The user and the device of the request.
    public struct Device: Hashable, Sendable {
        /// Identifier of the device.
        public var deviceID: String?
        /// Version of the application, such as `2.53.1`.
        public var appVersion: String?
        /// Identifier of the user.
        public var userID: String?
        /// Sync token of the last complete restore.
        public var syncToken: String?
        /// Value of `Authorization`.
        public var authorization: String?
        /// Whether it is a demonstration, with which no user signs in.
        public var isDemonstration: Bool

        /// A device with these values.
        public init(
            deviceID: String? = nil, appVersion: String? = nil, userID: String? = nil,
            syncToken: String? = nil, authorization: String? = nil, isDemonstration: Bool = false
        ) {
            self.deviceID = deviceID
            self.appVersion = appVersion
            self.userID = userID
            self.syncToken = syncToken
            self.authorization = authorization
            self.isDemonstration = isDemonstration
        }
    }

    /// The extent of a restore.
    public enum Extent: Hashable, Sendable {
        /// Everything: without `since`, `state` and sync token, as after a 412 and at first.
        case full
        /// What is new since the sync token, which the device must have.
        case since(state: CaseStateHash, days: Int?)
    }

    /// `GET` or `POST`.
    public var method: String
    /// Header fields, in order.
    public var headers: [Field]
    /// Parameters, in order.
    public var query: [Field]
    /// Parameters that the body has, in order, as a form of HTML; those of a claim.
    public var content: [Field] = []

    /// A request with these values.
    public init(method: String, headers: [Field] = [], query: [Field] = []) {
        self.method = method
        self.headers = headers
        self.query = query
    }

    /// The request that submits a form.
    ///
    /// - Parameters:
    ///   - device: The user and the device; the sync token is sent with every form, once there is
    ///     one.
    ///   - contentType: Of the body, as ``SubmissionEncoder/contentType``; `text/xml` for a plain one.
    /// - Returns: The request, without body.
    public static func submission(from device: Device, contentType: String) -> CommCareRequest {
        var request = CommCareRequest(method: "POST", headers: common(device))
        if let token = device.syncToken { request.headers.append(Field(lastSyncToken, token)) }
        request.headers.append(Field("Content-Type", contentType))
        if device.isDemonstration {
            request.query = [Field("submit_mode", "demo"), Field("authtype", "noauth")]
        }
        return request
    }

    /// The request for a restore.
    ///
    /// - Parameters:
    ///   - device: The user and the device.
    ///   - extent: The requested extent; ``Extent/full`` where the device has no sync token.
    ///   - skipsFixtures: Whether fixtures are left out.
    /// - Returns: The request.
    public static func restore(
        from device: Device, _ extent: Extent, skipsFixtures: Bool = false
    ) -> CommCareRequest {
        var request = CommCareRequest(method: "GET", headers: common(device))
        request.query.append(Field("version", "2.0"))
        if let id = device.deviceID { request.query.append(Field("device_id", id)) }
        if let id = device.userID { request.query.append(Field("user_id", id)) }
        request.query.append(Field("items", "true"))
        if case .since(let state, let days) = extent, let token = device.syncToken {
            request.headers.append(Field(lastSyncToken, token))
            request.query.append(Field("since", token))
            request.query.append(Field("state", state.description))
            if let days { request.query.append(Field("days_since_last_sync", String(days))) }
        }
        if skipsFixtures { request.query.append(Field("skip_fixtures", "true")) }
        return request
    }

    /// The request that claims a case, which brings it to the devices of the user.
    ///
    /// - Parameters:
    ///   - caseID: Identifier of the case.
    ///   - device: The user and the device.
    /// - Returns: The request; ``contentText`` is its body.
    public static func claim(_ caseID: String, from device: Device) -> CommCareRequest {
        var request = CommCareRequest(method: "POST", headers: common(device))
        request.headers.append(Field("Content-Type", "application/x-www-form-urlencoded"))
        request.content = [Field("case_id", caseID)]
        return request
    }

    /// The request that submits a form to a server of OpenRosa, as ODK Collect does.
    ///
    /// Source: OpenRosa/Specification.md#openrosa-http, #openrosa-submissions.
    ///
    /// - Parameters:
    ///   - device: The user and the device; OpenRosa servers have no sync tokens.
    ///   - contentType: Of the body, as ``SubmissionEncoder/contentType``.
    ///   - now: Seconds since 1970.
    /// - Returns: The request, without body.
    public static func openRosaSubmission(
        from device: Device, contentType: String, now: Int64
    ) -> CommCareRequest {
        var request = openRosaCheck(from: device, now: now)
        request.method = "POST"
        request.headers.append(Field("Content-Type", contentType))
        return request
    }

    /// The request to an OpenRosa server for whether and where it accepts a form.
    ///
    /// - Parameters:
    ///   - device: The user and the device.
    ///   - now: Seconds since 1970.
    /// - Returns: The request.
    public static func openRosaCheck(from device: Device, now: Int64) -> CommCareRequest {
        var request = CommCareRequest(
            method: "HEAD",
            headers: [
                Field("X-OpenRosa-Version", "1.0"), Field("Date", HTTPDate(unixSeconds: now).text),
            ])
        if let authorization = device.authorization {
            request.headers.append(Field("Authorization", authorization))
        }
        if let id = device.deviceID { request.query.append(Field("deviceID", id)) }
        return request
    }

    /// ``query`` as it is written after the question mark of a URL.
    public var queryText: String { Self.text(query) }

    /// ``content`` as it is written in the body.
    public var contentText: String { Self.text(content) }

    private static func text(_ fields: [Field]) -> String {
        fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// The name of the header field with the sync token.
    public static let lastSyncToken = "X-CommCareHQ-LastSyncToken"

    private static func common(_ device: Device) -> [Field] {
        var fields = [Field("X-OpenRosa-Version", "3.0")]
        if let id = device.deviceID { fields.append(Field("x-openrosa-deviceid", id)) }
        if let version = device.appVersion {
            fields.append(Field("x-openrosa-commcare-version", version))
        }
        if let authorization = device.authorization, !device.isDemonstration {
            fields.append(Field("Authorization", authorization))
        }
        return fields
    }
}
