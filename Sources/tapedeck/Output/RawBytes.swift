import Dissection
import Trace
import Wire

/// Writes the bytes of an exchange as they were sent.
struct RawBytes {
    let reader: TraceReader
    /// The side; nil for both.
    let side: Peer?

    /// Writes the request's bytes and then the response's.
    func write(_ detail: ExchangeDetail) throws(Failure) {
        for sender in Peer.allCases where side == nil || side == sender {
            try reader.reading { reader throws(TraceError) in
                try reader.bytes(of: detail.row.id, sender: sender, .sent) { _, bytes in
                    StandardOutput.write(bytes: bytes)
                    return true
                }
            }
        }
    }

    /// The head of one side as it was sent: up to the empty line, 256 KiB at most.
    func head(_ detail: ExchangeDetail, of sender: Peer) throws(Failure) -> [UInt8] {
        let received = (sender == .client ? detail.request : detail.response)?.head
        let begins = try head { reader, body throws(TraceError) in
            try reader.bytes(from: detail.row, sender: sender, .sent, body)
        }
        // What was passed on as it was sent is known to end there, and needs no search for its end.
        if begins == received { return begins }
        return try head { reader, body throws(TraceError) in
            try reader.bytes(of: detail.row.id, sender: sender, .sent) { body($1) }
        }
    }

    /// What `read` passes on, up to the empty line.
    private func head(
        _ read: (TraceReader, (ArraySlice<UInt8>) -> Bool) throws(TraceError) -> Void
    ) throws(Failure) -> [UInt8] {
        var head: [UInt8] = []
        try reader.reading { reader throws(TraceError) in
            try read(reader) { bytes in
                head += bytes
                return head.count < 1 << 18 && Self.end(of: head) == nil
            }
        }
        return Array(head.prefix(Self.end(of: head) ?? 1 << 18))
    }

    /// Length of the head that `bytes` begin with.
    private static func end(of bytes: [UInt8]) -> Int? {
        var lineStart = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A {
            let isEmpty =
                index == lineStart || (index == lineStart + 1 && bytes[lineStart] == 0x0D)
            if isEmpty, lineStart > 0 { return index + 1 }
            lineStart = index + 1
        }
        return nil
    }
}
