/// A place in a chunk where what was forwarded differs from what was received.
///
/// The rewrites are a closed list (``Reason``), so that the proxy can be called invisible apart
/// from them. A patch keeps the difference alone: the chunk holds what the sender sent.
public struct Patch: Hashable, Sendable {
    /// Why bytes were changed on their way.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// An absolute-form target became the origin-form a server expects (RFC 9112, 3.2.2).
        case requestTarget = "request-target"
        /// `Host` names the server instead of this proxy.
        case host
        /// `Origin` names the server instead of this proxy.
        case origin
        /// `Location` or `Content-Location` names this proxy instead of the server.
        case location
        /// A field that was meant for this proxy alone was taken out.
        case hopByHop = "hop-by-hop"
        /// A field that offers a protocol that is not recorded was taken out, as was asked for.
        case altSvc = "alt-svc"
        /// A fault changed the bytes.
        case fault
        /// The receiver had disconnected, or the bytes answered no request.
        case undelivered

        /// Whether it is what a proxy has to do, so that both sides of the conversation count as having
        /// had it: the same message names the proxy at one end and the server at the other.
        public var isRewrite: Bool {
            switch self {
            case .requestTarget, .host, .origin, .location, .hopByHop, .altSvc: true
            case .fault, .undelivered: false
            }
        }
    }

    /// Offset in bytes of the first byte taken out, relative to the chunk.
    public var offset: Int
    /// Number of bytes taken out, at least 0.
    public var removed: Int
    /// The bytes put in their place; may be empty.
    public var inserted: [UInt8]
    /// Why.
    public var reason: Reason

    /// A patch that puts `inserted` in the place of `removed` bytes at `offset`.
    public init(offset: Int, removed: Int, inserted: [UInt8], reason: Reason) {
        self.offset = offset
        self.removed = removed
        self.inserted = inserted
        self.reason = reason
    }

    /// `bytes` with all `patches` applied.
    ///
    /// - Parameters:
    ///   - patches: In ascending order of offset, not overlapping; one that is outside `bytes` is
    ///     left out, since patches are also read back from files.
    ///   - bytes: What they are applied to.
    /// - Returns: What the receiver gets.
    public static func apply(_ patches: [Patch], to bytes: [UInt8]) -> [UInt8] {
        guard !patches.isEmpty else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(
            bytes.count + patches.reduce(0) { $0 + max(0, $1.inserted.count - $1.removed) })
        var position = 0
        for patch in patches {
            guard patch.offset >= position, patch.removed >= 0,
                patch.offset <= bytes.count - patch.removed
            else { continue }
            result.append(contentsOf: bytes[position..<patch.offset])
            result.append(contentsOf: patch.inserted)
            position = patch.offset + patch.removed
        }
        result.append(contentsOf: bytes[position...])
        return result
    }

    /// What is left of this patch of `bytes` without what it takes out and puts back at its ends.
    ///
    /// - Parameter bytes: What it is applied to.
    /// - Returns: The smallest patch with the same result that is in one piece; nil where it changes
    ///   nothing.
    public func trimmed(in bytes: ArraySlice<UInt8>) -> Patch? {
        let old = bytes.dropFirst(offset).prefix(removed)
        let most = min(old.count, inserted.count)
        var before = 0
        while before < most, old[old.startIndex + before] == inserted[before] { before += 1 }
        var after = 0
        while before + after < most,
            old[old.endIndex - 1 - after] == inserted[inserted.count - 1 - after]
        {
            after += 1
        }
        guard before + after < max(removed, inserted.count) else { return nil }
        return Patch(
            offset: offset + before, removed: removed - before - after,
            inserted: Array(inserted[before..<inserted.count - after]), reason: reason)
    }
}
