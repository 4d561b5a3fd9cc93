import ArgumentParser

/// How a platform is made to trust the authority, and to use the proxy: `ca --for`.
enum TrustGuide: String, ExpressibleByArgument, CaseIterable {
    case android, ios, java, curl, python, node, go, firefox, chrome

    /// Where the files of the authority are, and the proxy.
    struct Places {
        /// The certificate as PEM.
        var pem: String
        /// The certificate as DER.
        var der: String
        /// Port of the proxy.
        var port = 8080
    }

    /// The steps, in order.
    func text(_ places: Places) -> String {
        let (pem, der, port) = (Self.quoted(places.pem), Self.quoted(places.der), places.port)
        return switch self {
        case .android:
            """
            1. Start the proxy: tapedeck record app.tape
            2. Lead the device through it.
               over USB:    adb reverse tcp:\(port) tcp:\(port)
                            adb shell settings put global http_proxy 127.0.0.1:\(port)
               emulator:    adb shell settings put global http_proxy 10.0.2.2:\(port)
               over Wi-Fi:  record with --listen 0.0.0.0:\(port), and name this machine's address and
                            the port in the settings of the network (Proxy: Manual)
               afterwards:  adb shell settings put global http_proxy :0
            3. Install the certificate: open http://tapedeck.test/ in the device's browser, or
               adb push \(der) /sdcard/Download/tapedeck-ca.crt
               then Settings > Security > Encryption & credentials > Install a certificate >
               CA certificate.
            4. Let the app trust it, which apps for Android 7 and later do not: in a debug build,
               res/xml/network_security_config.xml
                 <network-security-config>
                   <debug-overrides>
                     <trust-anchors><certificates src="user" /></trust-anchors>
                   </debug-overrides>
                 </network-security-config>
               and android:networkSecurityConfig="@xml/network_security_config" in <application>.
            5. Or let every app of an emulator trust it (images without Google Play, up to Android 13):
               emulator -avd NAME -writable-system
               adb root && adb remount
               adb push \(pem) /system/etc/security/cacerts/$(openssl x509 -subject_hash_old \\
                 -noout -in \(pem)).0
               adb reboot
               Later versions keep that store in a module that cannot be written: use 4.

            """
        case .ios:
            """
            1. Start the proxy so that the device reaches it:
               tapedeck record app.tape --listen 0.0.0.0:\(port)
            2. On the device: Settings > Wi-Fi > (i) of the network > Configure Proxy > Manual, with
               the address of this machine, which the recording prints, and port \(port).
            3. Open http://tapedeck.test/ in Safari and install the profile: Settings > General >
               VPN & Device Management.
            4. Trust it: Settings > General > About > Certificate Trust Settings.
            In the simulator, in place of 2 to 4: xcrun simctl keychain booted add-root-cert \(pem)
            It uses the proxy of the Mac.

            """
        case .java:
            """
            tapedeck record app.tape -- java -jar app.jar    sets all of this for the command.
            By hand, a trust store that has this authority alone, with the password changeit:
              tapedeck ca --p12 trust.p12
              java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit \\
                -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=\(port) \\
                -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=\(port) -Dhttp.nonProxyHosts= -jar app.jar
            or one more in a store that is there:
              keytool -importcert -noprompt -alias tapedeck -file \(pem) \\
                -keystore STORE -storepass PASSWORD
            The empty http.nonProxyHosts leads requests to local servers through the proxy, too.

            """
        case .curl:
            """
            tapedeck record app.tape -- ./script    sets all of this for the command.
            By hand:
              curl --proxy http://127.0.0.1:\(port) --cacert \(pem) https://…
            or for every curl of a shell:
              export CURL_CA_BUNDLE=\(pem) https_proxy=http://127.0.0.1:\(port) http_proxy=http://127.0.0.1:\(port)

            """
        case .python:
            """
            tapedeck record app.tape -- python app.py    sets all of this for the command.
            By hand, for requests, and for urllib, httpx and aiohttp:
              export REQUESTS_CA_BUNDLE=\(pem)
              export SSL_CERT_FILE=\(pem)
              export http_proxy=http://127.0.0.1:\(port) https_proxy=http://127.0.0.1:\(port)
            Where no_proxy names local servers, unset it. aiohttp needs ClientSession(trust_env=True).

            """
        case .node:
            """
            tapedeck record app.tape -- node app.js    sets all of this for the command.
            By hand:
              export NODE_EXTRA_CA_CERTS=\(pem)
              export http_proxy=http://127.0.0.1:\(port) https_proxy=http://127.0.0.1:\(port)
              export NODE_USE_ENV_PROXY=1
            The last needs Node.js 22.21 or 24.5. An older one uses no proxy by itself: record with
            --to https://SERVER and lead the app to http://127.0.0.1:\(port).

            """
        case .go:
            """
            tapedeck record app.tape -- ./program    sets all of this for the command.
            By hand:
              export SSL_CERT_FILE=\(pem)
              export http_proxy=http://127.0.0.1:\(port) https_proxy=http://127.0.0.1:\(port)
            The first stands in place of the system's file. Go uses no proxy for local servers; on Linux
            tapedeck record app.tape --isolate -- ./program records these, too.

            """
        case .chrome:
            """
            1. tapedeck ca --install --store nss    (Linux), or Settings > Privacy and security >
               Security > Manage certificates > Authorities > Import
               \(pem)
            2. Start it with the proxy, also for local servers:
               chromium --proxy-server=http://127.0.0.1:\(port) --proxy-bypass-list='<-loopback>'

            """
        case .firefox:
            """
            1. Settings > Privacy & Security > View Certificates > Authorities > Import
               \(pem)
               and trust it to identify websites.
            2. Settings > Network Settings > Manual proxy configuration: 127.0.0.1, port \(port), also
               for HTTPS.
            3. For local servers: about:config, network.proxy.allow_hijacking_localhost = true.

            """
        }
    }

    /// As a shell takes it.
    private static func quoted(_ path: String) -> String {
        path.contains { !($0.isLetter || $0.isNumber || "/._-".contains($0)) } ? "'\(path)'" : path
    }
}
