import Framing
import Wire

/// A message on its way through the gate.
struct MessagePassage {
    /// What happens to its bytes.
    enum Course {
        /// They are held until more is known.
        case holding
        /// They are forwarded, changed or not.
        case passing
        /// Tapedeck takes them in the server's place.
        case keeping
        /// The client does not get them.
        case swallowing
    }

    let sender: Peer
    let head: HTTPHead
    /// What the exchange is for; empty as long as no rule changes the message.
    var api = ""
    var course = Course.holding
    /// The actions of the rules on it, in their order.
    var steps: [Firing] = []
    var editor = BodyEditor()
    /// Whether edits may be done while its body comes: what comes is framed to its end.
    var mayStream = false
    /// Edits of a body that does not wait.
    var stream: StreamedEdit?
    /// The bytes of the head, with what precedes it.
    let rawHead: [UInt8]
    /// The bytes after the head that wait.
    var rawBody: [UInt8] = []
    /// The range of the content in ``rawBody``.
    var contents: [Range<Int>] = []
    /// How it ends for the client, where an answer is to be given at its end.
    var answer: LocalAnswer?
    /// What the receiver got, where it is to get it again.
    var released: [UInt8] = []
    /// Whether something took the place of an answer that is swallowed.
    var isReplaced = false
    /// Moment before which an answer may not be given, in nanoseconds.
    var answerDue: Int64 = 0

    init(_ head: HTTPHead, raw: [UInt8], from sender: Peer) {
        self.head = head
        self.sender = sender
        rawHead = raw
    }

    /// Keeps bytes of the body, of which the last `count` are content.
    mutating func hold(_ raw: ArraySlice<UInt8>, content count: Int) {
        let end = rawBody.count + raw.count
        rawBody += raw
        guard count > 0 else { return }
        if let last = contents.last, last.upperBound == end - count {
            contents[contents.count - 1] = last.lowerBound..<end
        } else {
            contents.append(end - count..<end)
        }
    }

    /// How many bytes wait.
    var heldBytes: Int { (course == .holding ? rawHead.count : 0) + rawBody.count }

    /// All bytes that wait.
    var raw: [UInt8] { rawHead + rawBody }

    /// The content that waits, without transfer coding.
    var content: [UInt8] { contents.flatMap { rawBody[$0] } }

    /// Whether its receiver reads parts of the content while others are not sent yet.
    var isEventStream: Bool {
        let type = head.value(of: "content-type")?.lowercased() ?? ""
        return type.hasPrefix("text/event-stream") || type.hasPrefix("multipart/x-mixed-replace")
    }

    /// Size of the content announced by its head; nil where there is none.
    var statedSize: Int64? {
        guard head.first("transfer-encoding") == nil, let text = head.value(of: "content-length")
        else { return nil }
        return Int64(text)
    }
}
