import Framing
import Notation
import Testing
import Wire

@testable import Redaction

@Suite("Redaction of anything at all") struct RedactionMutationTests {
    private static let seeds: [String] = [
        #"{"username":"anna","password":"p\u00e4ss\ud83d\ude00","a":[{"email":"a@b.cde"},1.5e9]}"#,
        #"<a xmlns="x"><name>Zoë &amp; <![CDATA[x]]></name><!-- a@b.cde --><data key='phone' value="1"/></a>"#,
        "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Transfer-Encoding: base64\r\n\r\nYTpi\r\n--b--",
        #"0:c:[{"id":"k","o":"M","sv":1,"ev":2,"v":{"password":{"o":"d","v":"=1\t+a%C3%BC\t-2"}}}]"#,
        #"a["0:e:k.3\n{\"data\":{\"password\":\"a\\u00fc\"}}"]"#,
        "GET http://u:p@h/x?token=a%20b HTTP/1.1\r\nAuthorization: Digest username=\"a\", nonce=\"bcdef0\"\r\n"
            + "Cookie: a=b; c=d\r\nProxy-Authorization: Basic YTpi\r\n\r\n",
        "Bearer abcdefghij eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x AKIAIOSFODNN7EXAMPLE password=hunter2&x@y.zz",
    ]

    private static func mutate(_ text: String, _ random: inout SplitMix64) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }

    private static func walk(_ walk: SecretWalk, _ bytes: inout [UInt8], _ kind: Int) {
        var socket = SocketFacts(
            path: kind == 0 ? "/sock/1/app/1/2/websocket" : "/sock/1/app/websocket")
        switch kind {
        case 0, 1: walk.message(&bytes, opcode: 1, from: .server, in: &socket)
        case 2: walk.keptHead(&bytes)
        case 3: walk.unseen(&bytes, reason: .hopByHop, isSocket: false)
        case 4: walk.content(&bytes, type: "multipart/form-data; boundary=b")
        case 5: walk.content(&bytes, type: "application/x-www-form-urlencoded")
        default: walk.content(&bytes, type: nil)
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>) func `keeps lengths, and what is JSON stays JSON`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let options = RedactionOptions(patterns: ["[a-z]{3}9"])
        for _ in 0..<8 {
            let inputs = Self.seeds.map { Self.mutate($0, &random) }
            let walk = try SecretWalk(options: options, key: [UInt8](repeating: 3, count: 32))
            for purpose in 0..<3 {
                walk.purpose = purpose == 0 ? .collect : purpose == 1 ? .judge : .replace
                if purpose == 1 { walk.store.freeze() }
                for input in inputs {
                    for kind in 0..<7 {
                        var bytes = input
                        Self.walk(walk, &bytes, kind)
                        #expect(bytes.count == input.count)
                        guard purpose == 2 else {
                            #expect(bytes == input)
                            continue
                        }
                        let isJSON = (try? JSONDocument.scan(input)) != nil
                        #expect(((try? JSONDocument.scan(bytes)) != nil) == isJSON || kind == 3)
                    }
                }
            }
        }
    }
}
