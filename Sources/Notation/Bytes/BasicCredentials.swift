/// User name and password as an `Authorization` field has them (RFC 7617, section 2).
package struct BasicCredentials: Hashable, Sendable {
    /// The name of the user, not empty.
    package var user: String
    /// The password, which may have colons.
    package var password: String

    /// Credentials of this user.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Reads the value of the field; nil where it is of another scheme or cannot be read.
    ///
    /// Read as servers do: both alphabets of Base64, white space skipped, padding not needed.
    package init?(authorization: some StringProtocol) {
        let words = authorization.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let bytes = Base64.decode(
                words[1].utf8.prefix(8_192), [.unpadded, .urlAlphabet, .whitespace]),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0
        else { return nil }
        user = String(decoding: bytes[..<colon], as: UTF8.self)
        password = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    }

    /// The value of the field.
    package var authorization: String { "Basic " + Base64.encode("\(user):\(password)".utf8) }
}
