/// Joins the fragments of handshake records to messages.
///
/// Keeps the bodies of hellos and of encrypted extensions alone; of other messages, certificates
/// among them, only that they were there.
struct TLSHandshakeReader: Sendable {
    /// A message of the handshake.
    struct Message: Hashable, Sendable {
        /// Its type.
        var type: UInt8
        /// What is after its header of four bytes; empty where it is not kept.
        var body: [UInt8]
    }

    /// Types of messages that mean something here (RFC 8446, 4).
    static let helloRequest: UInt8 = 0, clientHello: UInt8 = 1, serverHello: UInt8 = 2
    static let encryptedExtensions: UInt8 = 8, finished: UInt8 = 20, keyUpdate: UInt8 = 24

    /// Longest body that is kept: 65536 bytes; real ones have up to about two thousand.
    static let longestBody = 1 << 16

    /// Types whose bodies are kept.
    private static let kept = [clientHello, serverHello, encryptedExtensions]

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// Whether the body of this message is kept.
    private var isKept = false
    /// Bytes of the message that are still to come.
    private var left = 0

    /// Drops a message that is not complete.
    mutating func reset() { self = TLSHandshakeReader() }

    /// Takes the fragment of a record; gives the messages that are complete with it.
    mutating func consume(_ fragment: ArraySlice<UInt8>) -> [Message] {
        var messages: [Message] = []
        var rest = fragment
        while !rest.isEmpty {
            let missing = 4 - header.count
            if missing > 0 {
                header.append(contentsOf: rest.prefix(missing))
                rest = rest.dropFirst(missing)
                guard header.count == 4 else { break }
                left = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
                isKept = Self.kept.contains(header[0]) && left <= Self.longestBody
            }
            let part = rest.prefix(left)
            if isKept { body.append(contentsOf: part) }
            left -= part.count
            rest = rest.dropFirst(part.count)
            if left == 0 {
                messages.append(Message(type: header[0], body: body))
                header.removeAll(keepingCapacity: true)
                body = []
            }
        }
        return messages
    }
}
