internal import Foundation
internal import Notation

/// Pieces of JSON, written the same way each time.
enum JSONWriting {
    /// Appends `bytes`, which are UTF-8, as a string.
    static func string(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        JSONString.write(bytes, to: &output)
    }

    /// Appends a comma where one is needed, and the name of a member with its colon.
    static func name(_ name: String, to output: inout [UInt8]) {
        if output.last != 0x7B { output.append(0x2C) }
        string(name.utf8, to: &output)
        output.append(0x3A)
    }

    /// Appends a number.
    static func number(_ number: Int64, to output: inout [UInt8]) {
        output.append(contentsOf: String(number).utf8)
    }

    /// Appends `{"base64":"…"}`.
    static func base64(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"base64":""#.utf8)
        Base64.encode(bytes, to: &output)
        output.append(contentsOf: #""}"#.utf8)
    }
}
