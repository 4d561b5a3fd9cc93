/// The fields of a head that its framing depends on, found while it is read.
struct HTTPLandmarks {
    /// Number of `Content-Length` fields.
    var lengths = 0
    /// Number of `Transfer-Encoding` fields.
    var transferEncodings = 0
    /// Number of `Host` fields.
    var hosts = 0
    /// Index of the first `Host` field.
    var host = 0
    /// Whether there is a `Connection` field.
    var hasConnection = false
    /// Whether there is an `Upgrade` field.
    var hasUpgrade = false

    /// Whether `head`, which they are of, requests an upgrade.
    func areOfUpgrade(_ head: HTTPHead) -> Bool {
        hasUpgrade && hasConnection && head.contains(token: "upgrade", in: "connection")
    }

    /// Notes the field at `index` if it is one of those.
    mutating func see(_ field: HTTPField, at index: Int, in span: borrowing Span<UInt8>) {
        // The length alone rules out nearly all other fields.
        switch field.name.count {
        case 4 where span.isEqual(field.name, ignoringCaseOf: "host"):
            if hosts == 0 { host = index }
            hosts += 1
        case 7 where span.isEqual(field.name, ignoringCaseOf: "upgrade"):
            hasUpgrade = true
        case 10 where span.isEqual(field.name, ignoringCaseOf: "connection"):
            hasConnection = true
        case 14 where span.isEqual(field.name, ignoringCaseOf: "content-length"):
            lengths += 1
        case 17 where span.isEqual(field.name, ignoringCaseOf: "transfer-encoding"):
            transferEncodings += 1
        default:
            break
        }
    }
}
