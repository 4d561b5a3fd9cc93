package import Framing

/// The device identifier in a request.
package enum Device {
    /// The value of `x-openrosa-deviceid`, or of the query's `device_id` or `deviceID`.
    package static func identifier(in head: HTTPHead, query: String?) -> String? {
        if let field = head.first("x-openrosa-deviceid") { return head.text(field.value) }
        guard let query else { return nil }
        for pair in query.split(separator: "&", maxSplits: 200) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "device_id" || parts[0] == "deviceID" else {
                continue
            }
            return String(parts[1])
        }
        return nil
    }
}
