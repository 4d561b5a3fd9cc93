internal import Simperium

/// The properties of one WebSocket: how Simperium commands are framed on it, and the buckets of its
/// channels.
struct SocketFacts {
    /// The maximum number of channels whose bucket is kept: 4,096.
    static let maxChannels = 4_096

    /// Whether commands come in SockJS frames.
    let isSockJS: Bool
    private var app: String
    private var buckets: [Int: String] = [:]

    /// The facts of a socket opened at `path`.
    init(path: String) {
        let endpoint = SimperiumEndpoint.recognise(path: path)
        isSockJS = endpoint?.transport == .sockJS
        app = endpoint?.app ?? ""
    }

    /// A channel is opened.
    mutating func open(_ channel: Int, bucket: String?, app: String?) {
        if self.app.isEmpty { self.app = app ?? "" }
        guard let bucket, buckets[channel] != nil || buckets.count < Self.maxChannels else {
            return
        }
        buckets[channel] = bucket
    }

    /// Application and bucket of a channel; those whose opening was not seen are distinguished by
    /// their number.
    func bucket(_ channel: Int) -> String? { "\(app)/\(buckets[channel] ?? "#\(channel)")" }
}
