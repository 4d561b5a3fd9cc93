internal import Foundation

/// Base64 as RFC 4648 has it, with padding and without anything between.
enum Base64 {
    /// The bytes of `text`; nil where it is not base64.
    static func decode(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { [UInt8]($0) }
    }
}
