import Filters

extension ActionSpecification {
    /// Actions on Simperium commands.
    static let commands: [ActionSpecification] = [
        ActionSpecification(
            .error,
            [
                Parameter(
                    "code", .integer, positional: true, required: true,
                    range: -1_000_000...1_000_000, "The error code."),
                Parameter(
                    "as", .text, values: ["integer", "string"],
                    "How the code is written in the JSON; default: integer."),
                Parameter(
                    "forwarded", .flag,
                    "Whether the server gets the change and its answer is replaced; without it, "
                        + "the server does not receive the change."),
            ],
            [.command], implied: "command:c sender:client",
            "Refuses a change of the client with an error code.",
            example: "command:c bucket:notes => error 440 nth=3"),
        ActionSpecification(
            .cvUnknown, [], [.command], implied: "command:cv sender:client",
            "Answers the client's cv with cv:?, as for a change version that has expired.",
            example: "command:cv => cv-unknown first=1"),
        ActionSpecification(
            .changeUnknown, [], [.command], implied: "command:{cv,c} sender:client",
            "Answers the client's cv, or its change, with c:?, as older servers do for an unknown "
                + "change version.",
            example: "command:cv => change-unknown first=1"),
        ActionSpecification(
            .entityUnknown, [], [.command], implied: "command:e sender:client",
            "Answers the client's e with a question mark, as for a version that no longer exists.",
            example: "command:e => entity-unknown nth=2"),
        ActionSpecification(
            .authFailure,
            [
                Parameter(
                    "code", .integer, positional: true, range: -1_000_000...1_000_000,
                    "The code; default: 401."),
                Parameter(
                    "message", .text, "The msg; default: that of the real server for the code."),
            ],
            [.command], implied: "command:init sender:client",
            "Answers the client's init with an authorisation failure.",
            example: "command:init => auth-failure 400 message=\"Token malformed\" first=1"),
        ActionSpecification(
            .authExpired, [], [.command], implied: "command:init sender:client",
            "Answers the client's init with auth:expired and then the failure as JSON, as servers "
                + "do for api 1.0.",
            example: "command:init => auth-expired first=1"),
        ActionSpecification(
            .moveCurrent,
            [
                Parameter(
                    "to", .text,
                    "The change version in its place; default: one drawn from the seed.")
            ],
            [.command], implied: "command:i sender:server",
            "Gives a page of an index another current, as if the bucket had changed while it was "
                + "read.",
            example: "command:i => move-current nth=2"),
        ActionSpecification(
            .foreignCcids, [], [.command], implied: "command:c sender:server",
            "Replaces the ccids of changes, so that an acknowledgement is about changes the client "
                + "never sent.",
            example: "command:c bucket:notes => foreign-ccids first=1"),
        ActionSpecification(
            .versionGap,
            [
                Parameter(
                    "by", .integer, range: 1...1_000_000,
                    "By how much sv and ev are increased; default: 1.")
            ],
            [.command], implied: "command:c sender:server",
            "Increases the versions of changes, so that sv is not the client's version.",
            example: "command:c key:a1 => version-gap by=2 nth=1"),
        ActionSpecification(
            .compact,
            [
                Parameter(
                    "count", .integer, range: 2...1000,
                    "Changes that are joined; default: 2.")
            ],
            [.command], implied: "command:c sender:server",
            "Holds changes back and sends them together, those of one object as one change, as the "
                + "server does for a client that was offline.",
            example: "command:c => compact count=3"),
        ActionSpecification(
            .malformedDelta, [], [.command], implied: "command:c sender:server",
            "Corrupts the string delta of a change so that it does not apply to the text.",
            example: "command:c => malformed-delta nth=2"),
        ActionSpecification(
            .wrongHeartbeat,
            [
                Parameter(
                    "by", .integer, range: -1_000_000...1_000_000,
                    "What is added to the correct number; default: 1.")
            ],
            [.command], implied: "command:h sender:server",
            "Answers a heartbeat with a wrong number.",
            example: "command:h => wrong-heartbeat by=5 every=2"),
        ActionSpecification(
            .unknownChannel,
            [
                Parameter(
                    "to", .integer, range: 0...(1 << 53),
                    "The channel in its place; default: 9999.")
            ],
            [.command], implied: "has:channel sender:server",
            "Sends a command of the server on a channel that was never opened.",
            example: "command:c => unknown-channel nth=2"),
        ActionSpecification(
            .send,
            [
                Parameter(
                    "text", .text, positional: true, required: true,
                    "The whole message: 0:index, log:1, ? ..."),
                Parameter(
                    "to", .text, values: ["client", "server"],
                    "Who gets it; default: the client."),
            ],
            [.command, .message],
            "Injects a text message after the one that the rule matched.",
            example: "command:init sender:client => send 0:index after=1s"),
    ]
}
