/// A question to a name server, and its answer (RFC 1035, 4).
struct DNSQuery: Hashable {
    /// What is asked for.
    enum Kind: Hashable {
        /// An IPv4 address.
        case address
        /// An IPv6 address.
        case address6
        /// Anything else.
        case other
    }

    /// The name, without a dot at its end.
    let name: String
    /// What is asked for.
    let kind: Kind
    /// The message up to the end of its question.
    private let question: [UInt8]

    /// Reads a hostile message with one question; nil for anything else.
    init?(_ message: [UInt8]) {
        guard message.count >= 17, message[2] & 0xF8 == 0, message[4] == 0, message[5] == 1 else {
            return nil
        }
        var labels: [String] = []
        var place = 12
        var length = 0
        while place < message.count, message[place] != 0 {
            let size = Int(message[place])
            length += size + 1
            guard size < 64, length < 255, place + size < message.count else { return nil }
            let label = message[(place + 1)...(place + size)]
            guard label.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ".") }) else {
                return nil
            }
            labels.append(String(decoding: label, as: UTF8.self))
            place += size + 1
        }
        guard place + 5 <= message.count, !labels.isEmpty else { return nil }
        name = labels.joined(separator: ".")
        let isInternet = message[place + 3] == 0 && message[place + 4] == 1
        switch (isInternet, message[place + 1], message[place + 2]) {
        case (true, 0, 1): kind = .address
        case (true, 0, 28): kind = .address6
        default: kind = .other
        }
        question = Array(message[..<(place + 5)])
    }

    /// The answer with an address, of 4 or 16 bytes, or without one where there is none of that kind.
    func answer(_ address: [UInt8]?) -> [UInt8] {
        let record = address.map { address -> [UInt8] in
            let count = UInt8(address.count)
            return [0xC0, 12, 0, count == 4 ? 1 : 28, 0, 1, 0, 0, 0, 1, 0, count] + address
        }
        return header(code: 0, answers: address == nil ? 0 : 1) + (record ?? [])
    }

    /// The answer that there is no such name.
    var unknown: [UInt8] { header(code: 3, answers: 0) }

    /// The question again, as an answer from a server that resolves names for its clients.
    private func header(code: UInt8, answers: UInt8) -> [UInt8] {
        var message = question
        message[2] = 0x80 | message[2] & 1
        message[3] = 0x80 | code
        for place in 6..<12 { message[place] = 0 }
        message[7] = answers
        return message
    }
}
