extension FilterError: CustomStringConvertible {
    /// The error and what is expected, in one line without the place.
    public var description: String {
        switch reason {
        case .tooLong: "a filter has at most \(Self.maximumLength) characters"
        case .tooDeep: "more than \(Self.maximumDepth) parentheses or negations within each other"
        case .tooManyComparisons: "more than \(Self.maximumComparisons) comparisons"
        case .unknownField(let name, let nearest): Self.unknown(name, nearest)
        case .missingHeaderName(let field):
            "the name of a header is missing: write \(field).content-type"
        case .missingOperand(let what): "something has to follow \"\(what)\""
        case .missingOperandBefore(let what): "an operand is missing before \"\(what)\""
        case .missingValue(let field): "a value for \(field) is missing"
        case .unexpected(let scalar):
            "\(Self.name(scalar)) is not allowed here; quote it to search for it"
        case .missingSpace(let scalar):
            "a space is missing before \(Self.name(scalar)), or the value has to be quoted"
        case .missingSeparator(let scalar): "a comma is missing before \(Self.name(scalar))"
        case .missingRegex: "a regular expression is missing after =~, such as /like this/"
        case .unclosedParenthesis: "this parenthesis is not closed"
        case .unclosedSet: "this set is not closed"
        case .unclosedQuotation: "this quotation is not closed"
        case .unclosedRegex: "this regular expression is not closed with /"
        case .unknownEscape(let scalar):
            "\\\(scalar) is not an escape; the escapes are \\\" \\\\ \\n \\r \\t"
        case .unknownFlag(let scalar): "the only flag is i, not \(scalar)"
        case .regex(let reason): "regular expression: \(reason)"
        case .notAValue(let field): Self.expected(field)
        case .outOfRange: "this number is too large or too precise"
        case .notAWallClock:
            "this is no time: write 2026-11-21T14:03:05Z, 2026-11-21, 14:03:05 or 14:03"
        case .mixedWallClocks:
            "both ends of a range are written alike: with a day or without, with an offset or without"
        case .wallClockInLiveTraffic:
            "at is compared with the wall clock in a trace alone; write a time since the start, such as 1.5s"
        case .mitmproxyOperator(let sign, let instead):
            "\(sign) is an operator of mitmproxy; write \(instead)"
        case .emptyRange: "this range ends before it begins"
        case .operatorNotFor(let field, let sign): Self.mismatch(field, sign)
        case .noWords: "there is no word in this to search for"
        case .starWithinWords: "in a search for words, * is allowed only at the end"
        case .notKnown(let field, let phase): Self.unknown(field, phase)
        }
    }

    private static func unknown(_ name: String, _ nearest: [String]) -> String {
        "there is no field \"\(name)\""
            + (nearest.isEmpty
                ? "; quote it to search for these words" : NearestNames.question(nearest))
    }

    private static func unknown(_ field: Field, _ phase: FilterPhase) -> String {
        if field.isOfTraceAlone {
            return "\(field) is known in a trace alone, not in live traffic"
        }
        let details = field.details
        switch phase {
        case .command, .message: return "\(field) is not known \(phase)"
        case .connection, .handshake, .requestHead, .requestBody, .responseHead, .responseBody:
            guard let since = details.since else { return "exchanges have no \(field)" }
            return "\(field) is not known \(phase), only \(since)"
        }
    }

    private static func expected(_ field: Field) -> String {
        if let values = field.details.values {
            return "\(field) is one of \(values.joined(separator: ", "))"
        }
        switch field.details.kind {
        case .integer where field == .status: return "\(field) is a whole number, or 4xx"
        case .integer where field == .opcode:
            return "\(field) is a whole number, text, binary, close, ping or pong"
        case .integer: return "\(field) is a whole number"
        case .duration where field == .at:
            return "at is a time with a unit, 200ms, 1.5s, 1h30m, or a wall-clock time, 14:03:05"
        case .duration: return "\(field) is a time with a unit: 200ms, 1.5s, 3m, 1h30m"
        case .size: return "\(field) is a number of bytes: 512, 10KiB, 1.5MB"
        case .boolean: return "\(field) is true or false"
        case .text, .body, .words: return "\(field) is text"
        }
    }

    private static func mismatch(_ field: Field, _ sign: String) -> String {
        switch field.details.kind {
        case .integer, .duration, .size:
            "\(sign) is for text; \(field) works with : = != < <= > >="
        case .boolean: "\(field) works with : = !="
        case .text: "\(sign) is for numbers; \(field) works with : = != ~"
        case .body: "\(sign) is for numbers; \(field) works with : = != ~"
        case .words: "text works with : alone; body works with : = != ~"
        }
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        scalar.properties.generalCategory == .control
            ? "the character U+\(String(scalar.value, radix: 16, uppercase: true))"
            : "\"\(scalar)\""
    }
}
