import Foundation
import Interception
import Notation
import Proxying

/// What a device gets from `http://tapedeck/` through the proxy: the certificate to trust, in the
/// forms that its system installs.
enum AuthorityPages {
    /// The pages, by path.
    static func all(_ authority: CertificateAuthority) -> [String: OwnPage] {
        let der = OwnPage(type: "application/x-x509-ca-cert", content: authority.der)
        return [
            "/": page("text/html; charset=utf-8", html(authority)),
            "/ca.pem": page("application/x-pem-file", authority.pem),
            "/ca.crt": der, "/ca.der": der, "/ca.cer": der,
            "/ca.mobileconfig": page("application/x-apple-aspen-config", profile(authority)),
        ]
    }

    private static func page(_ type: String, _ text: String) -> OwnPage {
        OwnPage(type: type, content: Array(text.utf8))
    }

    private static func html(_ authority: CertificateAuthority) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width"><title>Tapedeck</title></head>
        <body style="font-family: sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em">
        <h1>Tapedeck</h1>
        <p>This device uses the proxy. To let it read TLS, install the certificate of its
        authority, and remove it when you are done.</p>
        <ul>
        <li><a href="/ca.crt">Android, Windows, ChromeOS</a> (ca.crt)</li>
        <li><a href="/ca.mobileconfig">iOS, macOS</a> (ca.mobileconfig)</li>
        <li><a href="/ca.pem">Linux, Firefox, programs</a> (ca.pem)</li>
        </ul>
        <p>\(Markup.escaped(authority.name))<br>
        <small>SHA-256 \(authority.fingerprintSHA256)</small></p>
        <p>The steps of each system: <code>tapedeck ca --help-for android</code></p>
        </body></html>

        """
    }

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
