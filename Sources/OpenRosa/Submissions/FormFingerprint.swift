import Notation

/// Detects whether the bytes of a form are those received before; equal on every run.
package struct FormFingerprint: Hashable, Sendable {
    /// Length in bytes and two sums (FNV-1a), in hexadecimal.
    package let text: String

    /// The fingerprint of a form.
    package init(_ bytes: [UInt8]) {
        // The second one is shifted after each byte, so that both collide only together by chance.
        var b = FNV1a.otherOffset
        for byte in bytes {
            b = FNV1a.hash(CollectionOfOne(byte), offset: b)
            b ^= b >> 29
        }
        text =
            String(bytes.count, radix: 16) + "-" + Hexadecimal.text(FNV1a.hash(bytes), digits: 16)
            + Hexadecimal.text(b, digits: 16)
    }

    /// The fingerprint with this text.
    package init(text: String) { self.text = text }
}
