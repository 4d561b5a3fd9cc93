internal import SwiftASN1
internal import X509

/// The authorities that the system trusts, for programs that have to trust one more.
public enum SystemRoots {
    /// Their certificates as PEM, in the order of the system's file, which `SSL_CERT_FILE` may name;
    /// empty where there is none that can be read.
    public static func pem() -> String { TrustedRoots.systemPEM() }

    /// The certificates of a text in PEM as DER; what is no certificate is left out.
    public static func der(pem text: String) -> [[UInt8]] {
        ((try? PEMDocument.parseMultiple(pemString: text)) ?? [])
            .filter { $0.discriminator == Certificate.defaultPEMDiscriminator }.map(\.derBytes)
    }
}
