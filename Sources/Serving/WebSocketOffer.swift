package import NIOCore

/// The WebSockets that a server opens.
package struct WebSocketOffer: Sendable {
    /// Largest message, in bytes; a larger one is an error of the pipeline.
    let maximumMessage: Int
    /// The maximum number of frames of a message.
    let maximumFrames: Int
    /// Whether there is one for a request to this port; elsewhere a request to open one is a plain request.
    let isOffered: @Sendable (ServedRequest, _ port: Int) -> Bool
    /// Adds a handler of whole messages, as frames, to the pipeline of one that is opened.
    let opened: @Sendable (any Channel, _ target: String) throws -> Void

    /// An offer with these values.
    package init(
        maximumMessage: Int, maximumFrames: Int,
        isOffered: @escaping @Sendable (ServedRequest, _ port: Int) -> Bool,
        opened: @escaping @Sendable (any Channel, _ target: String) throws -> Void
    ) {
        self.maximumMessage = maximumMessage
        self.maximumFrames = maximumFrames
        self.isOffered = isOffered
        self.opened = opened
    }
}
