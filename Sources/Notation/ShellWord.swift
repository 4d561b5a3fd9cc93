/// Words as a POSIX shell takes them.
public enum ShellWord {
    /// `text` as one word, in single quotes.
    public static func quoted(_ text: String) -> String {
        String(decoding: quoted(Array(text.utf8)), as: UTF8.self)
    }

    /// `bytes`, of which none is 0, as one word, in single quotes.
    package static func quoted(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var word: [UInt8] = [0x27]
        for byte in bytes {
            if byte == 0x27 {
                word += Array(#"'\''"#.utf8)
            } else {
                word.append(byte)
            }
        }
        return word + [0x27]
    }

    /// `bytes`, of which none is 0 and the last is no line feed, as one word that a terminal shows: in
    /// octal where it has control characters other than line ends and tabs.
    package static func shown(_ bytes: [UInt8]) -> [UInt8] {
        guard !isShown(bytes) else { return quoted(bytes) }
        return Array("\"$(".utf8) + printing(bytes) + Array(")\"".utf8)
    }

    /// Whether a terminal shows `bytes`, and acts on none of them but line ends and tabs.
    package static func isShown(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if isAfterReturn, scalar != "\n" { return false }
            isAfterReturn = scalar == "\r"
            let isPlain = scalar == "\n" || scalar == "\r" || scalar == "\t"
            if TerminalText.isControl(scalar), !isPlain { return false }
        }
        return !isAfterReturn
    }

    /// A `printf` command that prints `bytes`, whatever they are.
    ///
    /// In octal, the one notation that every shell supports, and as text where that is all
    /// printable.
    package static func printing(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 > 0x7E }) else {
            return Array("printf '%s' ".utf8) + quoted(bytes)
        }
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return Array("printf '\(octal.joined())'".utf8)
    }
}
