import Notation

/// Tells whether the bytes of a form are those that came before; the same on every run.
struct Fingerprint: Hashable, Sendable {
    /// Length in bytes and two sums (FNV-1a), in hexadecimal.
    let text: String

    /// The fingerprint of a form.
    init(_ bytes: [UInt8]) {
        var a: UInt64 = 0xCBF2_9CE4_8422_2325
        var b: UInt64 = 0x8422_2325_CBF2_9CE4
        for byte in bytes {
            a = (a ^ UInt64(byte)) &* 0x100_0000_01B3
            b = (b ^ UInt64(byte)) &* 0x100_0000_01B3
            b ^= b >> 29
        }
        text =
            String(bytes.count, radix: 16) + "-" + Hexadecimal.text(a, digits: 16)
            + Hexadecimal.text(b, digits: 16)
    }

    /// The fingerprint with this text.
    init(text: String) { self.text = text }
}
