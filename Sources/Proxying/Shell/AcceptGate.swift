import NIOCore
import Platform
import Synchronization

/// Accepts clients only while there are file descriptors for them.
///
/// The system reports a connection that waits for as long as it waits: accepting again and again
/// without a descriptor would keep the event loop busy with nothing else. Runs on the listener's event
/// loop.
final class AcceptGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let descriptors: DescriptorBudget
    private let notice: @Sendable (String) -> Void
    private var context: ChannelHandlerContext?
    private var isShut = false
    private var wantsRead = false
    private var hasReportedFailure = false
    private var retry: Scheduled<Void>?

    /// How long accepting pauses after the system had no descriptor, unless one becomes free.
    private static let pause = TimeAmount.seconds(1)

    init(descriptors: DescriptorBudget, notice: @escaping @Sendable (String) -> Void) {
        self.descriptors = descriptors
        self.notice = notice
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        retry?.cancel()
        retry = nil
    }

    func read(context: ChannelHandlerContext) {
        if isShut { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let client = unwrapInboundIn(data)
        let (verdict, refused) = descriptors.admit(ObjectIdentifier(client as AnyObject))
        if verdict == .refuse, refused == 1 {
            notice("tapedeck: \(descriptors.detail); further clients are answered with 503")
        }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        client.closeFuture.whenComplete { [descriptors] _ in
            if descriptors.leave(verdict) { loop.execute { bound.value.reopen() } }
        }
        isShut = descriptors.shutGateIfFull()
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let io = error as? IOError,
            [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(io.errnoCode)
        else {
            context.fireErrorCaught(error)
            return
        }
        isShut = true
        descriptors.shutGate()
        if !hasReportedFailure {
            hasReportedFailure = true
            notice(
                "tapedeck: can not accept connections: \(CloseCause.detail([io], isReset: false)); \(descriptors.detail); they wait until others end"
            )
        }
        guard retry == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        retry = context.eventLoop.scheduleTask(in: Self.pause) {
            bound.value.reopen()
        }
    }

    /// A connection was closed, or time has passed: accepts again.
    private func reopen() {
        retry?.cancel()
        retry = nil
        guard isShut, descriptors.openGate() else { return }
        isShut = false
        guard wantsRead else { return }
        wantsRead = false
        context?.read()
    }
}

@available(*, unavailable)
extension AcceptGate: Sendable {}
