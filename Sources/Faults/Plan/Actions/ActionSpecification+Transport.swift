import Filters

extension ActionSpecification {
    private static let everywhere: [FilterPhase] = [
        .connection, .requestHead, .requestBody, .responseHead, .responseBody, .command, .message,
    ]

    /// Whose bytes are meant, of a connection.
    private static let direction = Parameter(
        "sender", .text, values: ["client", "server"],
        "Whose bytes; default: those of both.")

    /// Actions on exchanges and messages alike, on bytes and on connections.
    static let transport: [ActionSpecification] = [
        ActionSpecification(
            .drop,
            [
                Parameter(
                    "close", .flag,
                    "Whether the connection is closed; without it, a request stays unanswered.")
            ],
            [.requestHead, .requestBody, .command, .message],
            "Does not forward a request, command or message.",
            example: "command:c sender:server => drop nth=1"),
        ActionSpecification(
            .doubled,
            [
                Parameter(
                    "count", .integer, range: 1...1000, "How many more are sent; default: 1.")
            ],
            [.requestBody, .command, .message],
            "Sends a request, command or message again; the client gets the first answer alone.",
            example: "command:c sender:server => repeat nth=2"),
        ActionSpecification(
            .reorder, [], [.command, .message],
            "Forwards a message after the next one of its sender (a command: of its channel), or "
                + "after 5 s where none follows.",
            example: "command:c sender:server => reorder every=3"),
        ActionSpecification(
            .latency,
            [
                Parameter(
                    "by", .duration, positional: true, required: true,
                    range: 0...86_400_000_000_000, "How much later it is forwarded."),
                Parameter(
                    "jitter", .duration, range: 0...86_400_000_000_000,
                    "By how much more or less, drawn uniformly; default: 0."),
                Parameter(
                    "sender", .text, values: ["client", "server"],
                    "Whose bytes: of a connection, client or server (default: both); of an "
                        + "exchange, client delays the request and server the response."),
            ],
            everywhere,
            "Delays a request, response, command or message, or everything on a connection.",
            example: "host:*.example => latency 300ms jitter=50ms"),
        ActionSpecification(
            .bandwidth,
            [
                Parameter(
                    "rate", .size, positional: true, required: true, range: 1...(.max),
                    "Bytes per second, in each direction."),
                direction,
            ],
            everywhere, "Limits the bandwidth of the connection from here on.",
            example: "host:*.example => bandwidth 10KiB sender=server"),
        ActionSpecification(
            .slice,
            [
                Parameter(
                    "size", .size, positional: true, required: true, range: 1...(.max),
                    "Bytes that are forwarded at a time."),
                Parameter(
                    "pause", .duration, range: 0...3_600_000_000_000,
                    "Pause after each slice; default: 0."),
                direction,
            ],
            everywhere, "Forwards bytes in small slices from here on.",
            example: "=> slice 1 pause=5ms"),
        ActionSpecification(
            .stall,
            [direction], everywhere,
            "Forwards nothing from here on, and leaves the connection open.",
            example: "api:commcare.restore => stall sender=server nth=1"),
        ActionSpecification(
            .cut,
            [
                Parameter(
                    "at", .size, positional: true, required: true, range: 0...(.max),
                    "Bytes that are still forwarded, from here on."),
                Parameter(
                    "how", .text, values: ["close", "reset"],
                    "How the connection ends; default: close."),
                direction,
            ],
            everywhere, "Ends the connection after the given number of further bytes.",
            example: "=> cut 5000 how=reset sender=server"),
        ActionSpecification(
            .blackout,
            [
                Parameter(
                    "for", .duration, positional: true, range: 1...86_400_000_000_000,
                    "Duration; default: the time between from and to of the schedule.")
            ],
            everywhere,
            "Forwards nothing for a time, in either direction; held bytes are "
                + "forwarded afterwards.",
            example: "=> blackout from=10s to=25s"),
        ActionSpecification(
            .close, [], everywhere, "Closes the connection in order.",
            example: "command:c sender:client => close nth=5"),
        ActionSpecification(
            .reset, [], everywhere, "Resets the connection (RST).",
            example: "api:commcare.submit => reset probability=0.2"),
        ActionSpecification(
            .halfClose,
            [
                Parameter(
                    "sender", .text, values: ["client", "server"],
                    "Which side appears to have closed; default: the server.")
            ],
            everywhere, "Half-closes the connection: one side sees the end of the other's stream.",
            example: "api:commcare.restore => half-close sender=server"),
        ActionSpecification(
            .closeCode,
            [
                Parameter(
                    "code", .integer, positional: true, required: true, range: 0...65_535,
                    "The close code."),
                Parameter("reason", .text, "The reason; default: none."),
                Parameter(
                    "to", .text, values: ["client", "server", "both"],
                    "Who gets the close message; default: both."),
            ],
            [.command, .message], "Ends a WebSocket with a close message.",
            example: "command:c sender:client => close-code 1012 reason=\"service restart\" nth=2"),
        ActionSpecification(
            .refuse, [], [.connection, .handshake],
            "Refuses the connection, or the tunnel that the client requests.",
            example: "=> refuse first=2"),
        ActionSpecification(
            .tlsFailure, [], [.handshake], "Ends the client's TLS handshake with an alert.",
            example: "host:*.example => tls-failure first=1"),
        ActionSpecification(
            .expiredCertificate, [], [.handshake],
            "Shows the client a certificate that has expired.",
            example: "host:*.example => expired-certificate"),
    ]
}
