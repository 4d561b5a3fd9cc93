/// Stands in for swift-crypto, which takes minutes to compile and is not fuzzed.
public enum Insecure {
    /// Sixteen bytes of all that came, which are not the MD5 of it.
    public struct MD5 {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        /// A hash of nothing yet.
        public init() {}

        /// Takes the next bytes.
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            for byte in bufferPointer { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }

        /// Takes the next bytes.
        public mutating func update(data: some Sequence<UInt8>) {
            for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }

        /// The hash of these bytes.
        public static func hash(data: some Sequence<UInt8>) -> [UInt8] {
            var hash = MD5()
            hash.update(data: data)
            return hash.finalize()
        }

        /// The hash of all that came.
        public func finalize() -> [UInt8] {
            (0..<16).map { UInt8(truncatingIfNeeded: state >> (8 * (UInt64($0) % 8))) }
        }
    }
}

/// Thirty-two bytes of others, which are not the SHA-256 of them.
public enum SHA256 {
    /// The hash of these bytes.
    public static func hash(data: some Sequence<UInt8>) -> [UInt8] {
        let half = Insecure.MD5.hash(data: data)
        return half + half
    }
}
