internal import Foundation

/// Pieces of JSON, written the same way each time.
enum JSONWriting {
    /// Appends `bytes`, which are UTF-8, as a string.
    static func string(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        output.append(0x22)
        for byte in bytes {
            switch byte {
            case 0x22, 0x5C:
                output.append(0x5C)
                output.append(byte)
            case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
            case 0x0D: output.append(contentsOf: [0x5C, 0x72])
            case 0x09: output.append(contentsOf: [0x5C, 0x74])
            case 0..<0x20:
                output.append(contentsOf: [0x5C, 0x75, 0x30, 0x30])
                output.append(contentsOf: hexadecimal(byte))
            default: output.append(byte)
            }
        }
        output.append(0x22)
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
        output.append(contentsOf: Data(bytes).base64EncodedData())
        output.append(contentsOf: #""}"#.utf8)
    }

    /// The two digits of a byte, in lower case.
    static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        [byte >> 4, byte & 0xF].map { $0 < 10 ? $0 + 0x30 : $0 + 0x57 }
    }
}
