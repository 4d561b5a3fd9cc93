/// Extensions of TLS that mean something here, as IANA numbers them.
enum TLSExtension {
    static let serverName = 0
    static let protocols = 16
    static let encryptThenMAC = 22
    static let preSharedKey = 41
    static let earlyData = 42
    static let supportedVersions = 43
    static let encryptedHello = 0xFE0D
}
