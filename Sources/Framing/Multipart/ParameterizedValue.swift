import Notation

/// A field value with parameters, such as `form-data; name="xml_submission_file"`.
///
/// Source: RFC 9110, 5.6.6; RFC 8187 for `name*`.
public struct ParameterizedValue: Hashable, Sendable {
    /// One parameter.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public var name: String
        /// The value without quotes.
        public var value: String

        /// A parameter with this name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What precedes the first semicolon, without whitespace around it, as sent.
    public var value: String
    /// The parameters in order; names may repeat.
    public var parameters: [Parameter]

    /// A value with these parameters.
    public init(value: String, parameters: [Parameter] = []) {
        self.value = value
        self.parameters = parameters
    }

    /// The value of the parameter `name`, given in lower case.
    ///
    /// The extended form (`filename*`) comes first where there is one that can be read.
    public subscript(_ name: String) -> String? {
        if let extended = parameters.first(where: { $0.name == name + "*" }),
            let text = Self.decodeExtended(extended.value)
        {
            return text
        }
        return parameters.first { $0.name == name }?.value
    }
}

extension ParameterizedValue {
    /// Reads a value with parameters; never fails, since any text has a value.
    ///
    /// In quoted strings a backslash escapes quotation marks and backslashes alone, so that
    /// `filename="C:\form.xml"` is read as it was meant.
    public static func parse(_ text: String) -> ParameterizedValue {
        var bytes = text.utf8[...]
        let value = take(&bytes, until: [0x3B])
        var result = ParameterizedValue(value: value)
        while bytes.popFirst() != nil {
            let name = take(&bytes, until: [0x3D, 0x3B])
            guard bytes.first == 0x3D else {
                if !name.isEmpty {
                    result.parameters.append(Parameter(name: name.lowercased(), value: ""))
                }
                continue
            }
            bytes = bytes.dropFirst().drop { $0.isSpaceOrBreak }
            let value: String
            if bytes.first == 0x22 {
                bytes = bytes.dropFirst()
                value = takeQuoted(&bytes)
                // What is between the closing quote and the semicolon is ignored.
                _ = take(&bytes, until: [0x3B])
            } else {
                value = take(&bytes, until: [0x3B])
            }
            result.parameters.append(Parameter(name: name.lowercased(), value: value))
        }
        return result
    }

    private static func take(
        _ bytes: inout Substring.UTF8View, until ends: [UInt8]
    ) -> String {
        var piece = bytes.prefix { !ends.contains($0) }
        bytes = bytes[piece.endIndex...]
        piece = piece.drop { $0.isSpaceOrBreak }
        while let last = piece.last, last.isSpaceOrBreak { piece = piece.dropLast() }
        return String(Substring(piece))
    }

    private static func takeQuoted(_ bytes: inout Substring.UTF8View) -> String {
        var value: [UInt8] = []
        while let byte = bytes.popFirst(), byte != 0x22 {
            if byte == 0x5C, let next = bytes.first, next == 0x22 || next == 0x5C {
                value.append(next)
                bytes = bytes.dropFirst()
            } else {
                value.append(byte)
            }
        }
        return value.lossyText
    }

    /// The text of `charset'language'percent-encoded`; nil where it cannot be read.
    private static func decodeExtended(_ text: String) -> String? {
        let pieces = text.utf8.split(
            separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        guard let bytes = PercentEncoding.decodeStrictly(pieces[2]) else { return nil }
        switch String(Substring(pieces[0])).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
