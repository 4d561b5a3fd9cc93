package import Framing
package import Wire

/// How far the HTTP of a connection is framed.
package struct HTTPFraming {
    /// Where the next byte of a request belongs.
    package let requests: HTTPStage
    /// Where the next byte of a response belongs.
    package let responses: HTTPStage
    /// The leg of the last response; nil before the first.
    package let responseLeg: LegID?
    /// Whether every byte was read, and every response belongs to a known request.
    package let isComplete: Bool
}
