/// The block of a pcapng file that gives names to addresses.
///
/// It may be anywhere in a section, independently of the output of ``PcapngWriter``. Source:
/// draft-ietf-opsawg-pcapng, 4.5.
public enum PcapngNames {
    /// Longest name in bytes, as DNS has it; longer ones are left out.
    public static let longestName = 255

    /// A block with the names of addresses.
    public static func block(_ names: [(address: IPAddress, name: String)]) -> [UInt8] {
        var body: [UInt8] = []
        for (address, name) in names
        where (1...longestName).contains(name.utf8.count) && !name.utf8.contains(0) {
            var value: [UInt8] = []
            if address.isVersion4 {
                value.append(big: UInt32(truncatingIfNeeded: address.low))
            } else {
                value.append(big: address.high)
                value.append(big: address.low)
            }
            value += Array(name.utf8) + [0]
            body.append(little: (address.isVersion4 ? 1 : 2) as UInt16)
            body.append(little: UInt16(value.count))
            body += value
            while body.count % 4 != 0 { body.append(0) }
        }
        // The end of the records.
        body += [0, 0, 0, 0]
        let length = UInt32(body.count + 12)
        var block: [UInt8] = []
        block.append(little: PcapngBlock.nameResolution)
        block.append(little: length)
        block += body
        block.append(little: length)
        return block
    }
}
