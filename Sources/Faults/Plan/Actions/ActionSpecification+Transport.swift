import Filters

extension ActionSpecification {
    private static let everywhere: [FilterPhase] = [
        .connection, .requestHead, .requestBody, .responseHead, .responseBody, .command, .message,
    ]

    /// Whose bytes are meant, of a connection.
    private static let direction = Parameter(
        "sender", .text, values: ["client", "server"],
        "Whose bytes; without it, those of both.")

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
                    "count", .integer, range: 1...1000, "How many more come; without it, 1.")
            ],
            [.requestBody, .command, .message],
            "Sends a request, command or message again; the client gets the first answer alone.",
            example: "command:c sender:server => repeat nth=2"),
        ActionSpecification(
            .reorder, [], [.command, .message],
            "Lets a message go behind the next one of its sender, of a command the next one of its "
                + "channel, or after 5 s where none comes.",
            example: "command:c sender:server => reorder every=3"),
        ActionSpecification(
            .latency,
            [
                Parameter(
                    "by", .duration, positional: true, required: true,
                    range: 0...86_400_000_000_000, "How much later it goes on."),
                Parameter(
                    "jitter", .duration, range: 0...86_400_000_000_000,
                    "By how much more or less, drawn evenly; without it, 0."),
                Parameter(
                    "sender", .text, values: ["client", "server"],
                    "Whose bytes: of a connection, without it those of both; of an exchange, client "
                        + "delays the request and server the response."),
            ],
            everywhere,
            "Delays a request, response, command or message, or everything on a connection.",
            example: "host:*.example => latency 300ms jitter=50ms"),
        ActionSpecification(
            .bandwidth,
            [
                Parameter(
                    "rate", .size, positional: true, required: true, range: 1...(.max),
                    "Bytes each second, in each direction."),
                direction,
            ],
            everywhere, "Slows the connection down from here on.",
            example: "host:*.example => bandwidth 10KiB sender=server"),
        ActionSpecification(
            .slice,
            [
                Parameter(
                    "size", .size, positional: true, required: true, range: 1...(.max),
                    "Bytes that go on at a time."),
                Parameter(
                    "pause", .duration, range: 0...3_600_000_000_000,
                    "Pause behind each slice; without it, 0."),
                direction,
            ],
            everywhere, "Lets bytes go on in small slices from here on.",
            example: "=> slice 1 pause=5ms"),
        ActionSpecification(
            .stall,
            [direction], everywhere,
            "Lets nothing go on from here on, with the connection left open.",
            example: "api:commcare.restore => stall sender=server nth=1"),
        ActionSpecification(
            .cut,
            [
                Parameter(
                    "at", .size, positional: true, required: true, range: 0...(.max),
                    "Bytes that still go on, from here on."),
                Parameter(
                    "how", .text, values: ["close", "reset"],
                    "How the connection ends; without it, close."),
                direction,
            ],
            everywhere, "Ends the connection after so many more bytes.",
            example: "=> cut 5000 how=reset sender=server"),
        ActionSpecification(
            .blackout,
            [
                Parameter(
                    "for", .duration, positional: true, range: 1...86_400_000_000_000,
                    "How long; without it, as long as the times from and to of the schedule say.")
            ],
            everywhere, "Lets nothing through for a while, in either direction; it comes later.",
            example: "=> blackout from=10s to=25s"),
        ActionSpecification(
            .close, [], everywhere, "Closes the connection in order.",
            example: "command:c sender:client => close nth=5"),
        ActionSpecification(
            .reset, [], everywhere, "Ends the connection by a reset (RST).",
            example: "api:commcare.submit => reset probability=0.2"),
        ActionSpecification(
            .halfClose,
            [
                Parameter(
                    "sender", .text, values: ["client", "server"],
                    "Who seems to send no more; without it, the server.")
            ],
            everywhere, "Tells one side that the other will send no more.",
            example: "api:commcare.restore => half-close sender=server"),
        ActionSpecification(
            .closeCode,
            [
                Parameter(
                    "code", .integer, positional: true, required: true, range: 0...65_535,
                    "The close code."),
                Parameter("reason", .text, "The reason; without it, none."),
                Parameter(
                    "to", .text, values: ["client", "server", "both"],
                    "Who gets the close message; without it, both."),
            ],
            [.command, .message], "Ends a WebSocket with a close message.",
            example: "command:c sender:client => close-code 1012 reason=\"service restart\" nth=2"),
        ActionSpecification(
            .refuse, [], [.connection, .handshake],
            "Refuses the connection, or the tunnel that the client asks for.",
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
