extension CodeTable {
    /// What holds where a device gets its data.
    static let syncs: [CodeAdvice] = [
        row(
            200, .sync, "The data follow.",
            "Read it to its end, store it in one step, and keep the restore_id as sync token.",
            .done),
        row(
            202, .sync, "The data are being prepared.",
            "Show the progress and poll again after Retry-After seconds, 5 where there is none.",
            .poll, isSpecified: true),
        row(
            301, .sync, "The address has moved.",
            "Follow on the same host and scheme alone, and inform the user otherwise.", .follow),
        row(
            302, .sync, "The address has moved for now.",
            "Follow on the same host and scheme alone, and inform the user otherwise.", .follow),
        row(400, .sync, "The server does not accept the request.", "Inform the user.", .tellUser),
        row(
            412, .sync, "An incremental sync is not possible.",
            "Sync once without since, state and sync token, and replace local state when all of it "
                + "is there; after a second 412 keep what is there and inform the user.", .recover,
            isSpecified: true),
        row(500, .sync, "The server failed.", "Inform the user, who may try again.", .tellUser),
        row(
            502, .sync, "A gateway got no answer.", "Inform the user, who may try again.", .tellUser
        ),
        row(
            504, .sync, "A gateway timed out.", "Inform the user, who may try again.", .tellUser),
        row(
            509, .sync, "The project is blocked.", "Inform the user, who may try again.", .tellUser),
    ]

    /// What holds for the other requests.
    static let others: [CodeAdvice] = [
        row(
            200, .check, "A server that accepts submissions answers 204; this may be a gateway.",
            "Do not submit, and show the address to the user.", .tellUser),
        row(
            204, .check, "The server accepts submissions.",
            "Submit to the Location of the answer, if it is on the same host, with the query of "
                + "the request.", .done),
        row(200, .forms, "The forms or files follow.", "Read and store what is new.", .done),
        row(
            301, .forms, "The address has moved.",
            "Follow on the same host and scheme alone, and inform the user otherwise.", .follow),
        row(
            302, .forms, "The address has moved for now.",
            "Follow on the same host and scheme alone, and inform the user otherwise.", .follow),
        row(500, .forms, "The server failed.", "Inform the user, who may try again.", .tellUser),
        row(201, .claim, "The case was claimed, and the device does not have it.", "Sync.", .sync),
        row(204, .claim, "The device has the case as it is.", "Continue without a sync.", .done),
        row(400, .claim, "The request names no case.", "Inform the user.", .tellUser),
        row(410, .claim, "The case to be claimed no longer exists.", "Inform the user.", .tellUser),
        row(500, .claim, "The server failed.", "Inform the user, who may try again.", .tellUser),
        row(200, .search, "The cases found follow.", "Show them.", .done),
        row(400, .search, "The search is invalid.", "Show the text of the answer.", .tellUser),
        row(500, .search, "The server failed.", "Inform the user, who may try again.", .tellUser),
        row(
            200, .heartbeat, "The versions to have follow.",
            "Offer them where app_id is the device's own.", .done),
        row(
            400, .heartbeat, "The server does not accept the report.",
            "Continue, and report at the next time.", .backOff),
        row(
            404, .heartbeat, "The application's build is unknown to the server.",
            "Continue, and report at the next time.", .backOff),
        row(
            500, .heartbeat, "The server failed.", "Continue, and report at the next time.",
            .backOff),
        row(200, .keys, "The keys follow.", "Store them, and open the user's data.", .done),
        row(
            404, .keys, "The server keeps no keys.", "Continue with the keys of the device.", .done),
        row(
            500, .keys, "The server failed.",
            "Continue with the keys of the device, if they are not too old.", .backOff),
        row(200, .other, "The request succeeded.", "Use the answer.", .done),
        row(201, .other, "It was done.", "Use the answer.", .done),
        row(204, .other, "There was nothing to do.", "Continue.", .done),
        row(400, .other, "The server does not accept the request.", "Inform the user.", .tellUser),
        row(500, .other, "The server failed.", "Inform the user, who may try again.", .tellUser),
    ]
}
