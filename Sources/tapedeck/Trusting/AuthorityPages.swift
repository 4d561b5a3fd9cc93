import Foundation
import Interception
import Notation
import Proxying

/// What a device gets from `http://tapedeck.test/` through the proxy, or from the proxy's own address: the
/// certificate to trust, in the forms that its system installs, and the steps.
enum AuthorityPages {
    /// The pages, by path.
    ///
    /// - Throws: ``InterceptionError`` where a form of the certificate cannot be made.
    static func all(
        _ authority: CertificateAuthority
    ) throws(InterceptionError) -> [String: OwnPage] {
        let der = OwnPage(type: "application/x-x509-ca-cert", content: authority.der)
        return [
            "/": page("text/html; charset=utf-8", html(authority), mark: mark),
            "/client": page("text/html; charset=utf-8", mark, mark: mark),
            "/ca.pem": page("application/x-pem-file", authority.pem),
            "/ca.crt": der, "/ca.der": der, "/ca.cer": der,
            "/ca.p12": OwnPage(
                type: "application/x-pkcs12",
                content: try PKCS12TrustStore.bytes(
                    certificate: authority.der, name: authority.name)),
            "/trusted.svg": page("image/svg+xml", trusted),
            "/ca.mobileconfig": page("application/x-apple-aspen-config", profile(authority)),
        ]
    }

    /// What stands for the part about the client.
    private static let mark = "<!-- client -->"

    private static func page(_ type: String, _ text: String, mark: String? = nil) -> OwnPage {
        OwnPage(type: type, content: Array(text.utf8), clientMark: mark)
    }

    private static func html(_ authority: CertificateAuthority) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width"><title>Tapedeck</title></head>
        <body style="font-family: sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em">
        <h1>Tapedeck</h1>
        <div id="client" aria-live="polite">\(mark)</div>
        <p><img src="https://\(OwnPage.hosts[0])/trusted.svg" alt="This device does not trust the certificate \
        yet, or does not use the proxy." width="320" height="32"></p>
        <p>To let the proxy read TLS, install the certificate of its authority, and remove it when you
        are done.</p>
        <ul>
        <li><a href="/ca.crt">Android, Windows, ChromeOS</a> (ca.crt)</li>
        <li><a href="/ca.mobileconfig">iOS, macOS</a> (ca.mobileconfig)</li>
        <li><a href="/ca.pem">Linux, Firefox, programs</a> (ca.pem)</li>
        <li><a href="/ca.p12">Java and other stores of PKCS#12</a> (ca.p12, password \
        \(PKCS12TrustStore.password))</li>
        </ul>
        <p>\(Markup.escaped(authority.name))<br>
        <small>SHA-256 \(authority.fingerprintSHA256)</small></p>
        <h2>Steps</h2>
        \(steps)
        \(ClientPart.script)
        </body></html>

        """
    }

    /// The steps of each platform, folded.
    private static var steps: String {
        let places = TrustGuide.Places(pem: "ca.pem", der: "ca.crt")
        return TrustGuide.allCases.map { guide in
            "<details><summary>\(guide.rawValue)</summary><pre style=\"overflow: auto\">"
                + "\(Markup.escaped(guide.text(places)))</pre></details>"
        }.joined(separator: "\n")
    }

    /// A picture that a browser shows where it accepts our certificate for its host.
    private static let trusted = """
        <svg xmlns="http://www.w3.org/2000/svg" width="320" height="32" viewBox="0 0 320 32">
        <rect width="320" height="32" rx="6" fill="#1a7f37"/>
        <text x="12" y="21" font-family="sans-serif" font-size="14" fill="#fff">This device trusts the certificate.</text>
        </svg>

        """

    /// A configuration profile (Apple, "Configuration Profile Reference", certificate payload).
    private static func profile(_ authority: CertificateAuthority) -> String {
        let digits = authority.fingerprintSHA256.filter { $0 != ":" }
        let identifier = { (start: Int) in
            let digits = Array(digits.dropFirst(start).prefix(32))
            let ends = [8, 12, 16, 20, 32]
            return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
        }
        let name = Markup.escaped(authority.name)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadContent</key><array><dict>
            <key>PayloadCertificateFileName</key><string>tapedeck-ca.cer</string>
            <key>PayloadContent</key><data>\(Data(authority.der).base64EncodedString())</data>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadIdentifier</key><string>tapedeck.ca.\(identifier(0))</string>
            <key>PayloadType</key><string>com.apple.security.root</string>
            <key>PayloadUUID</key><string>\(identifier(0))</string>
            <key>PayloadVersion</key><integer>1</integer>
            </dict></array>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadIdentifier</key><string>tapedeck.profile.\(identifier(32))</string>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadUUID</key><string>\(identifier(32))</string>
            <key>PayloadVersion</key><integer>1</integer>
            </dict></plist>

            """
    }
}
