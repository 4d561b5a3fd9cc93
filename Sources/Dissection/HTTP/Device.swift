package import Framing

/// The device identifier in a request.
package enum Device {
    /// The value of `x-openrosa-deviceid`, or of the query's `device_id` or `deviceID`.
    package static func identifier(in head: HTTPHead, query: String?) -> String? {
        if let field = head.first("x-openrosa-deviceid") { return head.text(field.value) }
        guard let query else { return nil }
        // By bytes: to find characters takes far longer.
        for pair in query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: 200) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, isName(parts[0]) else { continue }
            return String(Substring(parts[1]))
        }
        return nil
    }

    private static func isName(_ name: Substring.UTF8View) -> Bool {
        name.elementsEqual("device_id".utf8) || name.elementsEqual("deviceID".utf8)
    }
}
