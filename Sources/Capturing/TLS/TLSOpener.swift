internal import Wire

/// Opens the records that one side sends with one set of keys.
struct TLSOpener: Sendable {
    /// What was in a record.
    struct Content: Sendable {
        /// What it carries, as a number.
        var type: UInt8
        /// The bytes.
        var bytes: [UInt8]
    }

    private let suite: TLSCipherSuite
    /// What the next keys of TLS 1.3 come from; empty in TLS 1.2.
    private let secret: [UInt8]
    private let key: [UInt8]
    private let start: [UInt8]
    private let authenticationKey: [UInt8]
    private let encryptsThenAuthenticates: Bool
    private var isVersion13: Bool { !secret.isEmpty }
    /// Number of the record that is expected next.
    var sequence: UInt64 = 0

    /// An opener of TLS 1.3; nil where the secret is none of this suite's.
    init?(secret: [UInt8], suite: TLSCipherSuite) {
        if case .aesCBC = suite.cipher { return nil }
        guard secret.count == suite.hash.count else { return nil }
        self.suite = suite
        self.secret = secret
        key = TLSKeySchedule.expand(secret, label: "key", count: suite.keyCount, suite.hash)
        start = TLSKeySchedule.expand(secret, label: "iv", count: 12, suite.hash)
        authenticationKey = []
        encryptsThenAuthenticates = false
    }

    /// An opener of TLS 1.2 for what `sender` sends (RFC 5246, 6.3).
    init(
        master: [UInt8], clientRandom: [UInt8], server hello: TLSServerHello, sender: Peer,
        suite: TLSCipherSuite
    ) {
        let (authenticationCount, startCount) =
            switch suite.cipher {
            case .aesGCM: (0, 4)
            case .chaCha: (0, 12)
            // Since TLS 1.1 each record brings its own start.
            case .aesCBC(_, let hash): (hash.count, 0)
            }
        let sizes = [authenticationCount, suite.keyCount, startCount]
        var keys = TLSKeySchedule.derive(
            master, label: "key expansion", seed: hello.random + clientRandom,
            count: 2 * sizes.reduce(0, +), suite.hash)[...]
        // One of each kind for the client, then for the server.
        let parts = sizes.map { size in
            let mine = (sender == .client ? keys : keys.dropFirst(size)).prefix(size)
            keys = keys.dropFirst(2 * size)
            return Array(mine)
        }
        self.suite = suite
        secret = []
        authenticationKey = parts[0]
        key = parts[1]
        start = parts[2]
        encryptsThenAuthenticates = hello.encryptsThenAuthenticates
    }

    /// The opener of TLS 1.3 for what follows a key update (RFC 8446, 7.2).
    var updated: TLSOpener? {
        guard isVersion13 else { return nil }
        let next = TLSKeySchedule.expand(
            secret, label: "traffic upd", count: secret.count, suite.hash)
        return TLSOpener(secret: next, suite: suite)
    }

    /// Bytes of a record beside its content where all records have as many, its header among them.
    var overhead: Int64? {
        switch suite.cipher {
        case .aesCBC: nil
        case .aesGCM where !isVersion13: Int64(TLSRecord.headerCount + 8 + 16)
        case .chaCha where !isVersion13: Int64(TLSRecord.headerCount + 16)
        case .aesGCM, .chaCha: Int64(TLSRecord.headerCount + 1 + 16)
        }
    }

    /// Opens `record` as the one with this number; nil where it is another or damaged.
    func open(_ record: TLSRecord, as number: UInt64) -> Content? {
        if isVersion13 { return open13(record, number) }
        let fragment = record.fragment
        switch suite.cipher {
        case .aesGCM:
            guard fragment.count >= 24 else { return nil }
            return TLSCryptography.openGCM(
                fragment.dropFirst(8), key: key, nonce: start + fragment.prefix(8),
                authenticating: header(record, number, count: fragment.count - 24)
            ).map { Content(type: record.type.rawValue, bytes: $0) }
        case .chaCha:
            guard fragment.count >= 16 else { return nil }
            return TLSCryptography.openChaCha(
                fragment, key: key, nonce: nonce(number),
                authenticating: header(record, number, count: fragment.count - 16)
            ).map { Content(type: record.type.rawValue, bytes: $0) }
        case .aesCBC(_, let hash):
            let bytes =
                encryptsThenAuthenticates
                ? openAuthenticated(record, number, hash) : openPadded(record, number, hash)
            return bytes.map { Content(type: record.type.rawValue, bytes: $0) }
        }
    }

    /// Opens a record of TLS 1.3, whose type is after its content, before zeros (RFC 8446, 5.2).
    private func open13(_ record: TLSRecord, _ number: UInt64) -> Content? {
        let count = record.fragment.count
        let header =
            [record.type.rawValue] + Self.bytes(record.version)
            + Self.bytes(UInt16(truncatingIfNeeded: count))
        let opened =
            if case .chaCha = suite.cipher {
                TLSCryptography.openChaCha(
                    record.fragment, key: key, nonce: nonce(number), authenticating: header)
            } else {
                TLSCryptography.openGCM(
                    record.fragment, key: key, nonce: nonce(number), authenticating: header)
            }
        guard var bytes = opened else { return nil }
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
        let type = bytes[last]
        bytes.removeSubrange(last...)
        return Content(type: type, bytes: bytes)
    }

    /// Opens a CBC record whose ciphertext is authenticated (RFC 7366).
    private func openAuthenticated(
        _ record: TLSRecord, _ number: UInt64, _ hash: TLSHash
    ) -> [UInt8]? {
        let sealed = record.fragment.dropLast(hash.count)
        guard sealed.count >= 32, sealed.count.isMultiple(of: 16) else { return nil }
        let message = header(record, number, count: sealed.count) + sealed
        guard authentic(message, record.fragment.suffix(hash.count), hash) else { return nil }
        return decrypt(sealed)
    }

    /// Opens a CBC record whose content is authenticated, and then padded and encrypted.
    private func openPadded(
        _ record: TLSRecord, _ number: UInt64, _ hash: TLSHash
    ) -> [UInt8]? {
        guard record.fragment.count >= 32, record.fragment.count.isMultiple(of: 16),
            let plain = decrypt(record.fragment), plain.count >= hash.count
        else { return nil }
        let bytes = plain.dropLast(hash.count)
        let message = header(record, number, count: bytes.count) + bytes
        return authentic(message, plain.suffix(hash.count), hash) ? Array(bytes) : nil
    }

    /// Decrypts CBC blocks after their start, and takes off the padding (RFC 5246, 6.2.3.2).
    private func decrypt(_ sealed: ArraySlice<UInt8>) -> [UInt8]? {
        let plain = TLSCryptography.decryptCBC(
            sealed.dropFirst(16), key: key, start: sealed.prefix(16))
        guard let plain, let last = plain.last, plain.count > Int(last),
            plain.suffix(Int(last) + 1).allSatisfy({ $0 == last })
        else { return nil }
        return Array(plain.dropLast(Int(last) + 1))
    }

    /// Whether `code` authenticates `message`.
    ///
    /// The comparison need not take constant time: the connection has ended already.
    private func authentic(
        _ message: [UInt8], _ code: ArraySlice<UInt8>, _ hash: TLSHash
    ) -> Bool {
        TLSCryptography.authenticate(message, key: authenticationKey, hash)[...] == code
    }

    /// What TLS 1.2 authenticates beside the content (RFC 5246, 6.2.3.3).
    private func header(_ record: TLSRecord, _ number: UInt64, count: Int) -> [UInt8] {
        Self.bytes(number) + [record.type.rawValue] + Self.bytes(record.version)
            + Self.bytes(UInt16(truncatingIfNeeded: count))
    }

    /// The start combined with the number of a record (RFC 8446, 5.3; RFC 7905, 2).
    private func nonce(_ number: UInt64) -> [UInt8] {
        zip(start, [0, 0, 0, 0] + Self.bytes(number)).map { $0 ^ $1 }
    }

    /// A number, most significant byte first.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }
}
