extension Duty {
    private typealias S = SimperiumSessionRules
    private typealias C = SimperiumChangeRules
    private typealias V = SimperiumServerRules

    /// Duties of Simperium clients.
    static let simperiumClients: [Duty] = [
        Duty(
            C.noCatchUp, after: "409 to a change",
            undecided: "A change was answered with 409, and the client has not requested the "
                + "missed changes yet."),
        Duty(
            C.stuckKey, after: "400, 401, 405, 413 or a server error to a change",
            due: "three changes of other objects, once the time is up",
            undecided: "A change was refused, and nothing of it was sent again yet."),
        Duty(
            C.notSentWhole, after: "404, 417 or 440 to a diff",
            undecided: "A diff was refused, and the object was not sent whole yet."),
        Duty(
            C.neverResent,
            after: "a new connection that is in sync, and a change of the last that "
                + "was not answered; a change whose answer, or that itself, a fault has taken",
            undecided: "A change was not answered, and was not sent again yet."),
        Duty(
            S.unfinished, after: "a page of the index with a mark",
            undecided: "The index was not read to its last page yet."),
        Duty(
            S.unknownIgnored, after: "cv:?", due: "a change more than 5 s later",
            undecided: "The server does not know the cv, and the index was not read again yet."),
        Duty(
            S.stalled, after: "the answer ? to an entity, while others are missing",
            undecided: "An entity does not exist, and the next one was not requested yet."),
        Duty(
            S.notReloaded, after: "a change that does not apply to the version at hand",
            undecided: "A change does not apply to the version at hand, and the object was not "
                + "loaded yet."),
        Duty(
            S.indexUnanswered, after: "a request for the client's index",
            undecided: "The server requested the client's index, and it was not answered yet."),
        Duty(
            S.deadConnection, after: "a heartbeat",
            due: "the client still uses the connection, and received nothing since",
            undecided: "Nothing was received since a heartbeat, and the client has not left the "
                + "connection yet."),
        Duty(
            S.logMissing, after: "log:1 or log:2",
            undecided: "The server requested log messages, and none was sent yet."),
        Duty(
            S.noReconnect, after: "a connection that the server or a fault has ended",
            undecided: nil),
    ]

    /// Duties of Simperium servers.
    static let simperiumServers: [Duty] = [
        Duty(
            V.changeUnanswered, after: "a change",
            undecided: "A change was neither acknowledged nor refused yet."),
        Duty(
            V.echoMissing, after: "a change that another channel of the bucket received",
            undecided: "A change was not sent to every open channel of the bucket yet."),
        Duty(V.noAnswer, after: "i, e or cv", undecided: "A request was not answered yet."),
        Duty(V.noAuth, after: "init", undecided: "init was not answered with auth yet."),
        Duty(
            V.heartbeatUnanswered, after: "a heartbeat",
            due: "the answer to a request that was sent more than 1 s later, or a second "
                + "connection that ends without any",
            undecided: "A heartbeat was not answered yet."),
    ]
}
