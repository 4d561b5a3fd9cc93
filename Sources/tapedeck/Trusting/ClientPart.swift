import Interception
import Notation
import Proxying

/// The part of the set-up page that is about the client itself, as HTML.
enum ClientPart {
    /// What a client is and whether it trusts the certificates.
    ///
    /// - Parameters:
    ///   - client: What is known of its address.
    ///   - userAgent: The field of its request; nil where it has none.
    ///   - unixSeconds: Now.
    /// - Returns: Paragraphs.
    static func html(_ client: ClientTrust, userAgent: String?, unixSeconds: Int64) -> String {
        """
        <p>You are <b>\(Markup.escaped(UserAgent.text(userAgent)))</b>, at \(Markup.escaped(client.address)).</p>
        \(lines(client, unixSeconds).map { "<p>\($0)</p>" }.joined(separator: "\n"))

        """
    }

    private static func lines(_ client: ClientTrust, _ now: Int64) -> [String] {
        let accepted = client.accepted.map { handshake in
            "✓ TLS for \(Markup.escaped(handshake.host)) was accepted \(Self.ago(handshake, now))."
        }
        let refused = client.refused.map { handshake in
            "✗ TLS for \(Markup.escaped(handshake.host)) failed \(Self.ago(handshake, now)): "
                + "\(Markup.escaped(handshake.failure ?? ""))."
        }
        guard accepted != nil || refused != nil else {
            return ["No program at this address has used TLS through the proxy yet."]
        }
        let isFirst =
            (client.accepted?.unixSeconds ?? 0) >= (client.refused?.unixSeconds ?? 0)
        return (isFirst ? [accepted, refused] : [refused, accepted]).compactMap(\.self)
    }

    private static func ago(_ handshake: ClientTrust.Handshake, _ now: Int64) -> String {
        let seconds = max(0, now - handshake.unixSeconds)
        if seconds < 2 { return "just now" }
        if seconds < 120 { return "\(seconds) seconds ago" }
        return seconds < 7_200 ? "\(seconds / 60) minutes ago" : "\(seconds / 3_600) hours ago"
    }

    /// Asks for that part again: soon, then less and less often, and as soon as somebody looks again, when
    /// the certificate may have been installed.
    static let script = """
        <script>
        const place = document.getElementById("client");
        const first = 2000;
        let pause = first;
        let timer;
        async function ask() {
          if (!document.hidden) {
            const answer = await fetch("client").catch(() => null);
            if (answer?.ok) place.innerHTML = await answer.text();
            pause = Math.min(pause * 1.5, 30000);
          }
          timer = setTimeout(ask, pause);
        }
        document.addEventListener("visibilitychange", () => {
          if (document.hidden) return;
          const picture = document.images[0];
          picture.src = picture.src;
          clearTimeout(timer);
          pause = first;
          timer = setTimeout(ask, pause);
        });
        timer = setTimeout(ask, pause);
        </script>
        """
}
