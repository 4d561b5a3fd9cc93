internal import NIOCore
internal import NIOHTTP1
internal import Notation
internal import Platform

/// Puts a `Date` into every answer that has none, whichever handler made it.
///
/// CommCare Android ends with an exception on an answer without one, before it looks at the status.
/// Source: RFC 9110, 6.6.1; OpenRosa/Specification.md#response-headers.
final class DateHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Seconds since 1970.
    private let now: () -> Int64

    /// A handler that dates answers by `now`.
    init(now: @escaping () -> Int64 = { Int64(time(nil)) }) { self.now = now }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = Self.unwrapOutboundIn(data),
            head.status.code >= 200 || head.status == .switchingProtocols,
            !head.headers.contains(name: "Date")
        else { return context.write(data, promise: promise) }
        head.headers.add(name: "Date", value: HTTPDate(unixSeconds: now()).text)
        context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension DateHandler: Sendable {}
