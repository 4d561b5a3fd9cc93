internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The interface to the cryptography library for TLS.
///
/// Nothing else in the folder uses the library, so that the parsers are fuzzed without it.
enum TLSCryptography {
    /// HMAC of `message`.
    static func authenticate(_ message: [UInt8], key: [UInt8], _ hash: TLSHash) -> [UInt8] {
        let key = SymmetricKey(data: key)
        switch hash {
        case .sha1:
            return Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha384: return Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
        }
    }

    /// What AES in Galois/counter mode opens; nil where it is not authentic.
    ///
    /// `sealed` is the ciphertext and its tag of 16 bytes.
    static func openGCM(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
    ) -> [UInt8]? {
        guard sealed.count >= 16, let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            let opened = try? AES.GCM.open(
                box, using: SymmetricKey(data: key), authenticating: header)
        else { return nil }
        return Array(opened)
    }

    /// What ChaCha20 with Poly1305 opens; nil where it is not authentic.
    ///
    /// `sealed` is the ciphertext and its tag of 16 bytes.
    static func openChaCha(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
    ) -> [UInt8]? {
        guard sealed.count >= 16, let nonce = try? ChaChaPoly.Nonce(data: nonce),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            let opened = try? ChaChaPoly.open(
                box, using: SymmetricKey(data: key), authenticating: header)
        else { return nil }
        return Array(opened)
    }

    /// What AES in CBC mode decrypts to, with its padding; nil where lengths do not fit.
    static func decryptCBC(
        _ ciphertext: ArraySlice<UInt8>, key: [UInt8], start: ArraySlice<UInt8>
    ) -> [UInt8]? {
        guard let start = try? AES._CBC.IV(ivBytes: start),
            let plain = try? AES._CBC.decrypt(
                Array(ciphertext), using: SymmetricKey(data: key), iv: start, noPadding: true)
        else { return nil }
        return Array(plain)
    }
}
