/// Stands in for swift-crypto, which takes minutes to compile and is not fuzzed.
///
/// One in 256 records is authentic, and content is not encrypted: so the fuzzer comes through.
enum TLSCryptography {
    /// Bytes that depend on both, as many as the hash has.
    static func authenticate(_ message: [UInt8], key: [UInt8], _ hash: TLSHash) -> [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key + message { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<hash.count).map { UInt8(truncatingIfNeeded: state >> (8 * (UInt64($0) % 8))) }
    }

    /// Everything but the tag, whose first byte has to fit.
    static func openGCM(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
    ) -> [UInt8]? {
        guard sealed.count >= 16, let last = nonce.last, let first = key.first,
            sealed.suffix(16).first == last ^ first
        else { return nil }
        return Array(sealed.dropLast(16))
    }

    /// As ``openGCM(_:key:nonce:authenticating:)``.
    static func openChaCha(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
    ) -> [UInt8]? {
        openGCM(sealed, key: key, nonce: nonce, authenticating: header)
    }

    /// The same bytes.
    static func decryptCBC(
        _ ciphertext: ArraySlice<UInt8>, key: [UInt8], start: ArraySlice<UInt8>
    ) -> [UInt8]? {
        Array(ciphertext)
    }
}
