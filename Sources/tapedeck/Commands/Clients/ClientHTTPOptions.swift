import ArgumentParser
import HTTPLayer

/// Options for the way to a server over HTTP.
struct ClientHTTPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this PEM file; SSL_CERT_FILE is read without it.",
            valueName: "file"), completion: .file())
    var ca: String?

    @Option(
        help: ArgumentHelp(
            "Go through this proxy; http_proxy, https_proxy and no_proxy are read without it.",
            valueName: "url"))
    var proxy: String?

    /// Has requests go this way.
    func apply(to settings: inout HTTPSettings) {
        settings.caFile = ca
        settings.proxy = proxy
    }
}
