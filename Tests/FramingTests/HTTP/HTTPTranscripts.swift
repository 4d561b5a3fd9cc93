/// What the framer says about the samples of the corpus.
///
/// A name stands at the start of its line, its transcript is indented below it. Checked by hand
/// against RFC 9112 and the notes' documentation.
enum HTTPTranscripts {
    /// The transcripts by ``key(_:)``.
    static let all: [String: [String]] = {
        var result: [String: [String]] = [:]
        var key = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("    ") {
                result[key, default: []].append(String(line.dropFirst(4)))
            } else {
                key = String(line)
                result[key] = []
            }
        }
        return result
    }()

    /// The name of a sample's transcript.
    static func key(_ sample: HTTPSample) -> String { "\(sample.role) \(sample.name)" }

    private static let text = #"""
        request get
            head GET|/|HTTP/1.1 [Host=a] 0..<27
            end 27
        request length
            head POST|/a/receiver/|HTTP/1.1 [Host=a, Content-Length=5] 0..<58
            content hello
            end 63
        request length zero
            head POST|/|HTTP/1.1 [Host=a, Content-Length=0] 0..<47
            end 47
        request chunked with extensions and trailers
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            content hello,0123456789
            trailers Digest: x\r\nB: y\r\n 122
            end 122
        request pipelined
            head GET|/1|HTTP/1.1 [Host=a] 0..<28
            end 28
            head POST|/2|HTTP/1.1 [Host=a, Content-Length=3] 28..<76
            content abc
            end 79
            head GET|/3|HTTP/1.1 [Host=a] 79..<107
            end 107
        request absolute form
            head GET|http://A.example/x|HTTP/1.1 [Host=a.example:80] 0..<55
            end 55
        request http/1.0
            head GET|/|HTTP/1.0 [] 0..<18
            end 18
        request options
            head OPTIONS|*|HTTP/1.1 [Host=a] 0..<31
            end 31
        request connect, then tunnel
            head CONNECT|a:443|HTTP/1.1 [Host=a:443] 0..<39
            end 39
            paused 39
            opaque \u{16}\u{03}\u{01}
        request connect, then http
            head CONNECT|a:80|HTTP/1.1 [Host=a:80] 0..<37
            end 37
            paused 37
            head GET|/|HTTP/1.1 [Host=a] 37..<64
            end 64
        request upgrade, then tunnel
            head GET|/ws|HTTP/1.1 [Host=a, Connection=keep-alive, Upgrade, Upgrade=websocket] 0..<82
            end 82
            paused 82
            opaque \u{0081}\u{0085}abcd
        request upgrade with content, then http
            head POST|/|HTTP/1.1 [Host=a, connection=UPGRADE, upgrade=h2c, content-length=2] 0..<82
            content ok
            end 84
            paused 84
            head GET|/|HTTP/1.1 [Host=a] 84..<111
            end 111
        request upgrade that connection does not name
            head GET|/|HTTP/1.1 [Host=a, Connection=close, Upgrade=h2c] 0..<60
            end 60
        request tabs around values
            head GET|/|HTTP/1.1 [Host=a, X=, Y=a\tb, Z=] 0..<48
            end 48
        request bytes above ascii
            head GET|/|HTTP/1.1 [Host=a, X=caf\u{00E9}] 0..<36
            end 36
        request bare line feeds
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2] 0..<43
            note http.bare-lf 15
            content ok
            end 45
        request mixed line ends
            head GET|/|HTTP/1.1 [Host=a, X=1] 0..<31
            note http.bare-lf 23
            end 31
        request leading empty lines
            note http.leading-empty-line 1
            head GET|/|HTTP/1.1 [Host=a] 5..<32
            end 32
            note http.leading-empty-line 33
            head GET|/|HTTP/1.1 [Host=a] 34..<61
            end 61
            note http.leading-empty-line 62
        request folded
            head GET|/|HTTP/1.1 [Host=a, X=one   two  \tthree, Y=z] 0..<58
            note http.obs-fold 33
            end 58
        request folded length
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2] 0..<49
            note http.obs-fold 43
            content ok
            end 51
            head GET|/|HTTP/1.1 [Host=a] 51..<78
            end 78
        request length and chunked
            head POST|/|HTTP/1.1 [Host=a, Content-Length=4, Transfer-Encoding=chunked] 0..<75
            note http.two-lengths 26
            content x
            end 86
            head GET|/|HTTP/1.1 [Host=a] 86..<113
            end 113
        request same length twice
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2, Content-Length=2, 02] 0..<70
            note http.repeated-length 61
            content ok
            end 72
        request different lengths
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2, Content-Length=3] 0..<66
            note http.different-lengths 61
            content ok
            end 68
        request length with a sign
            head POST|/|HTTP/1.1 [Host=a, Content-Length=+2] 0..<48
            note http.length-syntax 42
            content ok
            end 50
        request length with a tail
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2x] 0..<48
            note http.length-syntax 42
            content ok
            end 50
        request empty length
            head GET|/|HTTP/1.1 [Host=a, Content-Length=] 0..<44
            note http.length-syntax 40
            end 44
        request chunked not last
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked, gzip] 0..<62
            note http.transfer-coding 26
            note http.chunked-not-last 26
            content x
            end 73
        request gzip, chunked
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=gzip, chunked] 0..<62
            note http.transfer-coding 26
            content x
            end 73
        request chunked twice
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked, Transfer-Encoding=Chunked] 0..<84
            note http.transfer-coding 54
            content x
            end 95
        request identity and a length
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=identity, Content-Length=2] 0..<76
            note http.two-lengths 55
            note http.transfer-coding 26
            note http.chunked-not-last 26
            content ok
            end 78
        request unknown transfer coding
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=\u{0B}chunked] 0..<57
            note http.control-byte 45
            note http.transfer-coding 26
            note http.chunked-not-last 26
            end 57
        request chunked in http/1.0
            head POST|/|HTTP/1.0 [Transfer-Encoding=chunked] 0..<47
            note http.transfer-encoding-1.0 17
            end 52
        request odd chunk sizes
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            note http.chunk-size 72
            content ok,ok.
            end 115
        request odd chunk extensions
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            note http.chunk-extension 59
            content ..
            end 81
        request odd trailers
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            note http.space-before-colon 60
            note http.no-colon 66
            note http.control-byte 79
            note http.obs-fold 82
            trailers A : 1\r\nno colon\r\nB: \u{01}\r\n x\r\n 88
            end 88
        request chunks with bare line feeds
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            note http.bare-lf 57
            content ok
            note http.bare-cr 64
            content .
            trailers T: 1\n 78
            end 78
        request space before colon
            head POST|/|HTTP/1.1 [Host=a, Content-Length=2] 0..<48
            note http.space-before-colon 40
            content ok
            end 50
        request space before fields
            head GET|/|HTTP/1.1 [=Transfer-Encoding: chunked   x, Host=a] 0..<60
            note http.space-before-fields 16
            note http.obs-fold 45
            end 60
        request field without colon
            head GET|/|HTTP/1.1 [Host=a, =nonsense, =x, a b=c] 0..<50
            note http.no-colon 25
            note http.field-name 35
            end 50
        request control bytes
            head GET|/|HTTP/1.1 [Host=a, X=a\0b, Y=a b, Z\u{01}=c, W=\u{7F}] 0..<56
            note http.control-byte 29
            note http.bare-cr 37
            note http.field-name 41
            end 56
        request odd method
            head G\u{00E9}T@|/|HTTP/1.1 [Host=a] 0..<28
            note http.method 0
            end 28
        request no version
            head GET|/a b| [Host=a] 0..<21
            note http.no-version 8
            note http.target 6
            end 21
        request other version
            head GET|/|http/2.0 [Host=a] 0..<27
            note http.version 6
            end 27
        request spaces in the start line
            head GET|/a|HTTP/1.1 [Host=a] 0..<31
            note http.start-line-space 3
            end 31
        request odd target
            head GET|/a b\u{00E9}\u{01}|HTTP/1.1 [Host=a] 0..<32
            note http.target 6
            note http.control-byte 9
            end 32
        request no host
            head GET|/|HTTP/1.1 [] 0..<18
            note http.no-host 4
            end 18
        request two hosts
            head GET|/|HTTP/1.1 [Host=a, host=b] 0..<36
            note http.two-hosts 16
            end 36
        request differing host
            head GET|http://a/|HTTP/1.1 [Host=a:8080] 0..<40
            note http.host-differs 30
            end 40
        request connect with a length
            head CONNECT|a:80|HTTP/1.1 [Host=a:80, Content-Length=3] 0..<56
            note http.length-forbidden 35
            end 56
            paused 56
            opaque abc
        request tls
            failure no HTTP start line at byte 0
            opaque \u{16}\u{03}\u{01}\u{02}\0\u{01}
        request another protocol
            failure no HTTP start line at byte 0
            opaque more
        request one word
            failure no HTTP start line at byte 0
            opaque more
        request control byte in the method
            failure no HTTP start line at byte 0
            opaque \r\n
        request second is garbage
            head GET|/|HTTP/1.1 [Host=a] 0..<27
            end 27
            failure no HTTP start line at byte 27
        request cr before the start line
            failure no HTTP start line at byte 0
            opaque GET / HTTP/1.1\r\n\r\n
        request head too long
            head GET|/|HTTP/1.1 [Host=a] 0..<27
            end 27
            failure the head has more than 27 bytes at byte 54
            opaque ore
        request endless start line
            failure the head has more than 27 bytes at byte 27
            opaque 234567890123456789
        request too many fields
            failure the head at byte 0 has more than 1 fields
            opaque rest
        request length is no number
            head POST|/|HTTP/1.1 [Host=a, Content-Length=-1] 0..<48
            failure Content-Length at byte 42 is not a number
            opaque x
        request length of 2^64
            head POST|/|HTTP/1.1 [Host=a, Content-Length=18446744073709551616] 0..<66
            failure Content-Length at byte 42 is above 9223372036854775807
            opaque x
        request length of 2^63 - 1
            head POST|/|HTTP/1.1 [Host=a, Content-Length=9223372036854775807] 0..<65
            content x
            failure the stream ended at byte 66, 9223372036854775806 bytes before the end of the content
        request chunk size overflow
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            failure the chunk size at byte 71 is above 7fffffffffffffff
            opaque fff\r\nrest
        request chunk size of 2^63 - 1
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            content rest
            failure the stream ended at byte 78, within chunked content
        request chunk size not hexadecimal
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            failure no hexadecimal chunk size at byte 57
            opaque g\r\nrest
        request negative chunk size
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            failure no hexadecimal chunk size at byte 56
            opaque -5\r\nrest
        request chunk size line too long
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            failure the chunk-size line has more than 10 bytes at byte 67
            opaque aaa\r\n
        request chunk without its end
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            content a
            failure no line ending after the chunk at byte 60
            opaque b\r\n0\r\n\r\n
        request endless trailers
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            failure the trailer section has more than 60 bytes at byte 119
            opaque E: 0123456789\r\n\r\nrest
        request cut in the start line
            failure the stream ended at byte 8, within a head
        request cut in the head
            failure the stream ended at byte 25, within a head
        request cut in the content
            head POST|/|HTTP/1.1 [Host=a, Content-Length=5] 0..<47
            content hel
            failure the stream ended at byte 50, 2 bytes before the end of the content
        request cut in a chunk
            head POST|/|HTTP/1.1 [Host=a, Transfer-Encoding=chunked] 0..<56
            content hel
            failure the stream ended at byte 62, within chunked content
        response length
            head HTTP/1.1|200|OK [Content-Length=5] 0..<38
            content hello
            end 43
        response chunked
            head HTTP/1.1|202|Accepted [Transfer-Encoding=chunked] 0..<53
            content hello
            end 68
            head HTTP/1.1|200|OK [Content-Length=0] 68..<106
            end 106
        response until the end
            head HTTP/1.1|200|OK [] 0..<19
            content hello\r\n\r\n
            end 28
        response until the end, nothing
            head HTTP/1.0|200|OK [] 0..<19
            end 19
        response head
            head HTTP/1.1|200|OK [Content-Length=5] 0..<38
            end 38
            head HTTP/1.1|404|Not Found [Content-Length=1] 38..<83
            content x
            end 84
        response no content
            head HTTP/1.1|204|No Content [] 0..<27
            end 27
            head HTTP/1.1|304|Not Modified [Content-Length=7] 27..<75
            end 75
            head HTTP/1.1|200|OK [Content-Length=0] 75..<113
            end 113
        response interim before final
            head HTTP/1.1|100|Continue [] 0..<25
            end 25
            head HTTP/1.1|103|Early Hints [Link=</a>] 25..<65
            end 65
            head HTTP/1.1|200|OK [Content-Length=5] 65..<103
            end 103
        response switching protocols
            head HTTP/1.1|101|Switching Protocols [Connection=Upgrade, Upgrade=websocket] 0..<77
            end 77
            paused 77
            opaque \u{0081}\u{02}hi
        response connected
            head HTTP/1.1|200|Connection established [] 0..<39
            end 39
            paused 39
            opaque \u{16}\u{03}
        response connect refused, then accepted
            head HTTP/1.1|407|No [Content-Length=2] 0..<38
            content no
            end 40
            head HTTP/1.1|200|OK [] 40..<59
            end 59
            paused 59
            head HTTP/1.1|204|- [] 59..<77
            end 77
        response empty reason
            head HTTP/1.1|200| [Content-Length=0] 0..<36
            end 36
        response long reason
            head HTTP/1.1|500|It broke: \u{00E9}\tso [Content-Length=0] 0..<50
            end 50
        response no reason
            head HTTP/1.1|200| [Content-Length=0] 0..<35
            note http.start-line-space 12
            end 35
        response odd status
            head HTTP/1.1|999|Hm [Content-Length=1] 0..<38
            note http.status 9
            content x
            end 39
        response spaces
            head HTTP/1.1|200|OK [Content-Length=1] 0..<39
            note http.start-line-space 8
            content x
            end 40
        response other version
            head HTTP/2|200|OK [Content-Length=1] 0..<36
            note http.version 0
            content x
            end 37
        response bare line feeds
            head HTTP/1.1|200|OK [Content-Length=2] 0..<35
            note http.bare-lf 15
            content ok
            end 37
        response empty lines between
            head HTTP/1.1|204|A [] 0..<18
            end 18
            note http.leading-empty-line 19
            head HTTP/1.1|204|B [] 22..<40
            end 40
        response length where none may be
            head HTTP/1.1|204|A [Content-Length=5] 0..<37
            note http.length-forbidden 16
            end 37
            head HTTP/1.1|200|OK [Transfer-Encoding=chunked] 37..<84
            note http.length-forbidden 54
            end 84
            paused 84
            opaque raw
        response chunked not last
            head HTTP/1.1|200|OK [Transfer-Encoding=chunked, gzip] 0..<53
            note http.transfer-coding 17
            note http.chunked-not-last 17
            content 1\r\nx
            end 57
        response identity
            head HTTP/1.1|200|OK [Transfer-Encoding=identity, Content-Length=1] 0..<67
            note http.two-lengths 46
            note http.transfer-coding 17
            note http.chunked-not-last 17
            content x
            end 68
        response length and chunked
            head HTTP/1.1|200|OK [Transfer-Encoding=chunked, Content-Length=1] 0..<66
            note http.two-lengths 45
            end 71
        response different lengths in one field
            head HTTP/1.1|200|OK [Content-Length=1, 2] 0..<41
            note http.different-lengths 36
            content x
            end 42
        response no http
            failure no HTTP start line at byte 0
            opaque ICY 200 OK\r\n\r\nmusic
        response lower case
            failure no HTTP start line at byte 0
            opaque http/1.1 200 OK\r\n\r\n
        response status of two digits
            failure no HTTP start line at byte 0
            opaque \r\n
        response status of four digits
            failure no HTTP start line at byte 0
            opaque \r\n
        response no status
            failure no HTTP start line at byte 0
            opaque \r\n
        response cut in the content
            head HTTP/1.1|200|OK [Content-Length=5] 0..<38
            content hel
            failure the stream ended at byte 41, 2 bytes before the end of the content
        response cut in chunks
            head HTTP/1.1|200|OK [Transfer-Encoding=chunked] 0..<47
            content x
            failure the stream ended at byte 53, within chunked content
        response cut between empty lines
            head HTTP/1.1|204|A [] 0..<18
            end 18
            failure the stream ended at byte 19, within a head
        """#
}
