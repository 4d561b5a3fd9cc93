/// Reads a pcapng file in large pieces.
struct PcapngSource: CaptureSource {
    private let stream: CaptureStream
    private var parser = PcapngParser()
    private var isAtEnd = false

    init(_ stream: CaptureStream) { self.stream = stream }

    var counts: BlockCounts { parser.counts }

    mutating func next() throws(CaptureError) -> CaptureItem? {
        while true {
            do throws(PcapngError) {
                if let item = try parser.next() { return item }
            } catch {
                throw CaptureError(.malformed, "\(stream.path) is damaged: \(error.detail)")
            }
            guard !isAtEnd else {
                parser.finish()
                return nil
            }
            try readOn()
        }
    }

    private mutating func readOn() throws(CaptureError) {
        let count = max(CaptureFile.readAtOnce, parser.missing)
        let stream = stream
        var failure: CaptureError?
        var done = 0
        parser.fill(upTo: count) { memory in
            do throws(CaptureError) {
                done = try stream.read(into: memory)
            } catch {
                failure = error
            }
            return done
        }
        if let failure { throw failure }
        isAtEnd = done < count
    }
}
