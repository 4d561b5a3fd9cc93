import Framing

/// Messages as they should be, as they sometimes are, and as they are made to confuse.
enum HTTPCorpus {
    static let all = requests + responses
    static let requests = plainRequests + oddRequests + brokenRequests
    static let responses = plainResponses + oddResponses + brokenResponses

    static let plainRequests: [HTTPSample] = [
        .request("get", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request(
            "length", "POST /a/receiver/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
        .request("length zero", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
        .request(
            "chunked with extensions and trailers",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;name=\"v;w\"\r\nhello\r\n1;x\r\n,\r\nA\r\n0123456789\r\n0\r\n"
                + "Digest: x\r\nB: y\r\n\r\n"),
        .request(
            "pipelined",
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\n"
                + "Content-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request("absolute form", "GET http://A.example/x HTTP/1.1\r\nHost: a.example:80\r\n\r\n"),
        .request("http/1.0", "GET / HTTP/1.0\r\n\r\n"),
        .request("options", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request(
            "connect, then tunnel", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n\u{16}\u{3}\u{1}",
            then: .tunnel),
        .request(
            "connect, then http",
            "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request(
            "upgrade, then tunnel",
            "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n"
                + "Upgrade: websocket\r\n\r\n\u{81}\u{85}abcd", then: .tunnel),
        .request(
            "upgrade with content, then http",
            "POST / HTTP/1.1\r\nHost: a\r\nconnection: UPGRADE\r\nupgrade: h2c\r\n"
                + "content-length: 2\r\n\r\nokGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request(
            "upgrade that connection does not name",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nUpgrade: h2c\r\n\r\n"),
        .request(
            "tabs around values",
            "GET / HTTP/1.1\r\nHost:\ta \t\r\nX:\r\nY: a\tb\r\nZ:   \r\n\r\n"),
        .request("bytes above ascii", "GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{E9}\r\n\r\n"),
    ]

    static let oddRequests: [HTTPSample] = [
        .request("bare line feeds", "POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\nok"),
        .request("mixed line ends", "GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\n"),
        .request(
            "leading empty lines",
            "\r\n\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n"),
        .request(
            "folded", "GET / HTTP/1.1\r\nHost: a\r\nX: one\r\n two\r\n\tthree \r\nY:\r\n z\r\n\r\n"),
        .request(
            "folded length",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 2\r\n\r\nokGET / HTTP/1.1\r\n"
                + "Host: a\r\n\r\n"),
        .request(
            "length and chunked",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request(
            "same length twice",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2, 02\r\n\r\nok"),
        .request(
            "different lengths",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
        .request(
            "length with a sign", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nok"),
        .request(
            "length with a tail", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2x\r\n\r\nok"),
        .request("empty length", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"),
        .request(
            "chunked not last",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\n"),
        .request(
            "gzip, chunked",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\n"),
        .request(
            "chunked twice",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                + "Transfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
        .request(
            "identity and a length",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n"
                + "\r\nok"),
        .request(
            "unknown transfer coding",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n"),
        .request(
            "chunked in http/1.0",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .request(
            "odd chunk sizes",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "00000000000000000002\r\nok\r\n 1 \r\n,\r\n0x2 ;e\r\nok\r\n+1\t\r\n.\r\n0\r\n\r\n"
        ),
        .request(
            "odd chunk extensions",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1;\r\n.\r\n1;a=\"b\r\n.\r\n0;\0\r\n\r\n"),
        .request(
            "odd trailers",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\nA : 1\r\nno colon\r\nB: \u{1}\r\n x\r\n\r\n"),
        .request(
            "chunks with bare line feeds",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\nok\n1;a\rb\n.\r\n0\nT: 1\n\n"),
        .request(
            "space before colon",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\nok"),
        .request(
            "space before fields",
            "GET / HTTP/1.1\r\n Transfer-Encoding: chunked\r\n x\r\nHost: a\r\n\r\n"),
        .request(
            "field without colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n: x\r\na b: c\r\n\r\n"),
        .request(
            "control bytes",
            "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\nY: a\rb\r\nZ\u{1}: c\r\nW: \u{7F}\r\n\r\n"),
        .request("odd method", "G\u{E9}T@ / HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request("no version", "GET /a b\r\nHost: a\r\n\r\n"),
        .request("other version", "GET / http/2.0\r\nHost: a\r\n\r\n"),
        .request("spaces in the start line", "GET  /a  HTTP/1.1 \r\nHost: a\r\n\r\n"),
        .request("odd target", "GET /a b\u{E9}\u{1} HTTP/1.1\r\nHost: a\r\n\r\n"),
        .request("no host", "GET / HTTP/1.1\r\n\r\n"),
        .request("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"),
        .request("differing host", "GET http://a/ HTTP/1.1\r\nHost: a:8080\r\n\r\n"),
        .request(
            "connect with a length",
            "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\nContent-Length: 3\r\n\r\nabc", then: .tunnel),
    ]

    static let brokenRequests: [HTTPSample] = [
        .request("tls", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
        .request("another protocol", "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\nmore"),
        .request("one word", "HELO\r\nmore"),
        .request("control byte in the method", "G\u{0}T / HTTP/1.1\r\n\r\n"),
        .request("second is garbage", "GET / HTTP/1.1\r\nHost: a\r\n\r\n{\"a\":1}\r\n"),
        .request("cr before the start line", "\rGET / HTTP/1.1\r\n\r\n"),
        .request(
            "head too long", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /0123456789 HTTP/1.1\r\nmore",
            limits: HTTPLimits(maxHeadBytes: 27)),
        .request(
            "endless start line", "GET /0123456789012345678901234567890123456789",
            limits: HTTPLimits(maxHeadBytes: 27)),
        .request(
            "too many fields", "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\nrest",
            limits: HTTPLimits(maxFields: 1)),
        .request(
            "length is no number", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nx"),
        .request(
            "length of 2^64",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\nx"),
        .request(
            "length of 2^63 - 1",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775807\r\n\r\nx"),
        .request(
            "chunk size overflow",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "ffffffffffffffffff\r\nrest"),
        .request(
            "chunk size of 2^63 - 1",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "7fffffffffffffff\r\nrest"),
        .request(
            "chunk size not hexadecimal",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5g\r\nrest"),
        .request(
            "negative chunk size",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nrest"),
        .request(
            "chunk size line too long",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;aaaaaaaaaaaa\r\n",
            limits: HTTPLimits(maxChunkLineBytes: 10)),
        .request(
            "chunk without its end",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
        .request(
            "endless trailers",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                + "A: 0123456789\r\nB: 0123456789\r\nC: 0123456789\r\nD: 0123456789\r\n"
                + "E: 0123456789\r\n\r\nrest",
            limits: HTTPLimits(maxHeadBytes: 60)),
        .request("cut in the start line", "GET / HT"),
        .request("cut in the head", "GET / HTTP/1.1\r\nHost: a\r\n"),
        .request(
            "cut in the content", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel"),
        .request(
            "cut in a chunk",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
    ]

    static let plainResponses: [HTTPSample] = [
        .response("length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        .response(
            "chunked",
            "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        .response("until the end", "HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n"),
        .response("until the end, nothing", "HTTP/1.0 200 OK\r\n\r\n"),
        .response(
            "head",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 Not Found\r\n"
                + "Content-Length: 1\r\n\r\nx", to: [.head, .other]),
        .response(
            "no content",
            "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\n"
                + "Content-Length: 7\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        .response(
            "interim before final",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: [.head]),
        .response(
            "switching protocols",
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                + "\u{81}\u{2}hi", then: .tunnel),
        .response(
            "connected", "HTTP/1.1 200 Connection established\r\n\r\n\u{16}\u{3}", to: [.connect],
            then: .tunnel),
        .response(
            "connect refused, then accepted",
            "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nnoHTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 -\r\n\r\n",
            to: [.connect, .connect]),
        .response("empty reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
        .response(
            "long reason", "HTTP/1.1 500 It broke: \u{E9}\tso\r\nContent-Length: 0\r\n\r\n"),
    ]

    static let oddResponses: [HTTPSample] = [
        .response("no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
        .response("odd status", "HTTP/1.1 999 Hm\r\nContent-Length: 1\r\n\r\nx"),
        .response("spaces", "HTTP/1.1  200 OK\r\nContent-Length: 1\r\n\r\nx"),
        .response("other version", "HTTP/2 200 OK\r\nContent-Length: 1\r\n\r\nx"),
        .response("bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
        .response(
            "empty lines between", "HTTP/1.1 204 A\r\n\r\n\r\n\r\nHTTP/1.1 204 B\r\n\r\n"),
        .response(
            "length where none may be",
            "HTTP/1.1 204 A\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n"
                + "Transfer-Encoding: chunked\r\n\r\nraw", to: [.other, .connect], then: .tunnel),
        .response(
            "chunked not last", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n1\r\nx"),
        .response(
            "identity",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nx"),
        .response(
            "length and chunked",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n"),
        .response(
            "different lengths in one field", "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nx"),
    ]

    static let brokenResponses: [HTTPSample] = [
        .response("no http", "ICY 200 OK\r\n\r\nmusic"),
        .response("lower case", "http/1.1 200 OK\r\n\r\n"),
        .response("status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        .response("status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
        .response("no status", "HTTP/1.1\r\n\r\n"),
        .response("cut in the content", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"),
        .response(
            "cut in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"),
        .response("cut between empty lines", "HTTP/1.1 204 A\r\n\r\n\r"),
    ]
}
