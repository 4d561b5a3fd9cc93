/// Numbers of the pcapng format.
///
/// Source: draft-ietf-opsawg-pcapng, section 10.1.
enum PcapngBlock {
    /// Section header; reads the same in either byte order.
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    /// Interface description.
    static let interface: UInt32 = 1
    /// The packet block of before 2009.
    static let obsoletePacket: UInt32 = 2
    /// Simple packet: no time and no interface.
    static let simplePacket: UInt32 = 3
    /// Names of addresses.
    static let nameResolution: UInt32 = 4
    /// What an interface received and dropped.
    static let statistics: UInt32 = 5
    /// Enhanced packet.
    static let enhancedPacket: UInt32 = 6
    /// Decryption secrets.
    static let secrets: UInt32 = 0x0A
    /// Another program's block, which may be copied.
    static let custom: UInt32 = 0x0BAD
    /// Another program's block, which must not be copied.
    static let customNotToCopy: UInt32 = 0x4000_0BAD

    /// The magic number for the byte order of a section.
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    /// Secrets that are the text of a TLS key log (`TLSK`).
    static let keyLogSecrets: UInt32 = 0x544C_534B
}
