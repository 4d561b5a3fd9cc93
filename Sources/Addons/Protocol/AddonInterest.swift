/// What the subscriptions of an add-on want of one event.
public struct AddonInterest: Hashable, Sendable {
    /// The numbers of the subscriptions that ask for it, from 0.
    public var subscriptions: [Int]
    /// Whether one wants its decoded meaning.
    public var isDecoded: Bool
    /// Whether one wants its bytes.
    public var hasBytes: Bool
    /// Whether a verdict is waited for.
    public var isAwaited: Bool

    /// What `hello` wants of `event`; nil where it wants nothing.
    public init?(_ event: AddonEvent, in hello: AddonHello) {
        subscriptions = []
        (isDecoded, hasBytes, isAwaited) = (false, false, false)
        for (number, subscription) in hello.subscriptions.enumerated()
        where event.isWanted(by: subscription) {
            subscriptions.append(number)
            isDecoded = isDecoded || subscription.isDecoded
            hasBytes = hasBytes || subscription.hasBytes
            isAwaited = isAwaited || !subscription.isWatching
        }
        if subscriptions.isEmpty { return nil }
    }
}
