import Framing
import Notation

/// Well-formed messages of random shape.
enum HTTPGeneration {
    /// One to four messages of one role.
    static func make(using random: inout SplitMix64) -> HTTPSample {
        let isRequest = Bool.random(using: &random)
        var text = ""
        var kinds: [HTTPRequestKind] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if isRequest {
                let method =
                    ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]
                    .randomElement(using: &random) ?? "GET"
                let target =
                    ["/", "/a/b?c=d", "/%7Ex", "http://host.example/p"]
                    .randomElement(using: &random) ?? "/"
                text += "\(method) \(target) HTTP/1.1\r\nHost: host.example\r\n"
                text += message(using: &random, mayHaveContent: true)
            } else {
                while Int.random(in: 0..<4, using: &random) == 0 {
                    text += "HTTP/1.1 103 Early Hints\r\n" + fields(using: &random) + "\r\n"
                }
                let kind = Bool.random(using: &random) ? HTTPRequestKind.other : .head
                kinds.append(kind)
                let status = [200, 201, 204, 304, 404, 503].randomElement(using: &random) ?? 200
                text += "HTTP/1.1 \(status) Some Reason\r\n"
                let isBare = status == 204
                text +=
                    isBare
                    ? fields(using: &random) + "\r\n"
                    : message(using: &random, mayHaveContent: kind == .other && status != 304)
            }
        }
        return HTTPSample(
            name: "generated", role: isRequest ? .request : .response,
            bytes: HTTPSample.latin1(text), expecting: kinds)
    }

    /// Fields, an empty line, and the content that the fields announce.
    private static func message(
        using random: inout SplitMix64, mayHaveContent: Bool
    ) -> String {
        var head = fields(using: &random)
        let content = word(0...300, using: &random)
        guard Bool.random(using: &random) else {
            head += "Content-Length: \(content.utf8.count)\r\n" + fields(using: &random)
            return head + "\r\n" + (mayHaveContent ? content : "")
        }
        head += "Transfer-Encoding: chunked\r\n" + fields(using: &random)
        guard mayHaveContent else { return head + "\r\n" }
        var body = ""
        var rest = Substring(content)
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...80, using: &random))
            rest = rest.dropFirst(piece.count)
            let size = String(piece.utf8.count, radix: 16, uppercase: Bool.random(using: &random))
            let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
            let name = word(1...8, using: &random)
            let extensions = ["", ";\(name)", ";\(name)=1", ";a=\"b c\";\(name)"]
            body += zeros + size + (extensions.randomElement(using: &random) ?? "")
            body += "\r\n\(piece)\r\n"
        }
        let trailers = Bool.random(using: &random) ? fields(using: &random) : ""
        return head + "\r\n" + body + "0\r\n" + trailers + "\r\n"
    }

    private static func fields(using random: inout SplitMix64) -> String {
        var text = ""
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let space = ["", " ", "\t", "  "].randomElement(using: &random) ?? ""
            let value = [
                word(0...20, using: &random), "a, b ,c", "\"quoted: \\\"x\\\"\"",
                word(1...9, using: &random) + " " + word(1...9, using: &random),
            ].randomElement(using: &random)
            text += "X-\(index)-\(word(1...6, using: &random)):\(space)\(value ?? "")\(space)\r\n"
        }
        return text
    }

    private static func word(
        _ length: ClosedRange<Int>, using random: inout SplitMix64
    ) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789")
        return String(
            (0..<Int.random(in: length, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            })
    }
}
