internal import Filters

/// The fields of the head of an HTTP message as names and values, as `HeadFields` finds them.
///
/// Made once and filled for each head, since millions of them are sent.
struct HeadLines {
    /// Where a field is in the head.
    private struct Field {
        var name: Range<Int>
        /// Its value, and what continues it on the lines after.
        var value: Range<Int>
        var more: [Range<Int>] = []
    }

    private var fields: [Field] = []

    /// Reads the fields of `head`.
    ///
    /// Continued lines belong to the field before them, after a space. Source: RFC 9112, 5.2.
    mutating func read(_ head: UnsafeRawBufferPointer) {
        fields.removeAll(keepingCapacity: true)
        var position = HeadFields.endOfLine(in: head, from: 0) + 1
        var isContinued = false
        while position < head.count {
            let stop = HeadFields.endOfLine(in: head, from: position)
            let isFolded = head[position] == 0x20 || head[position] == 0x09
            let line = HeadFields.trimmed(head, position..<stop)
            position = stop + 1
            if line.isEmpty && !isFolded { break }
            if isFolded {
                if isContinued { fields[fields.count - 1].more.append(line) }
                continue
            }
            var colon = line.lowerBound
            while colon < line.upperBound, head[colon] != 0x3A { colon += 1 }
            isContinued = colon < line.upperBound
            guard isContinued else { continue }
            fields.append(
                Field(
                    name: HeadFields.trimmed(head, line.lowerBound..<colon),
                    value: HeadFields.trimmed(head, colon + 1..<line.upperBound)))
        }
    }

    /// Appends the names in lower case.
    func appendNames(of head: UnsafeRawBufferPointer, to rows: RowBinary) {
        rows.append(count: fields.count)
        for field in fields { rows.append(lowercasing: .init(rebasing: head[field.name])) }
    }

    /// Appends the values without white space around them.
    func appendValues(of head: UnsafeRawBufferPointer, to rows: RowBinary) {
        rows.append(count: fields.count)
        for field in fields {
            guard !field.more.isEmpty || head[field.value].contains(where: { $0 >= 0x80 }) else {
                rows.append(text: .init(rebasing: head[field.value]))
                continue
            }
            let whole = field.more.reduce(into: Array(head[field.value])) {
                $0 += [0x20] + head[$1]
            }
            // What is not UTF-8 is U+FFFD, as where a filter asks a trace.
            rows.append(text: Array(String(decoding: whole, as: UTF8.self).utf8))
        }
    }
}
