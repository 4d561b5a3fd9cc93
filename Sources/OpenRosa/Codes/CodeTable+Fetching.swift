extension CodeTable {
    /// What holds where a device gets its data.
    static let syncs: [CodeAdvice] = [
        row(
            200, .sync, "The data follow.",
            "Read it to its end, store it in one step, and keep the restore_id as sync token.",
            .done),
        row(
            202, .sync, "The data are being prepared.",
            "Show the progress and ask again after Retry-After seconds, 5 where there is none.",
            .poll, isSpecified: true),
        row(
            301, .sync, "The address has moved.",
            "Follow on the same host and scheme alone, and tell the user otherwise.", .follow),
        row(
            302, .sync, "The address has moved for now.",
            "Follow on the same host and scheme alone, and tell the user otherwise.", .follow),
        row(400, .sync, "The request is not what the server takes.", "Tell the user.", .tellUser),
        row(
            412, .sync, "An incremental sync is not possible.",
            "Sync once without since, state and sync token, and replace local state when all of it "
                + "is there; after a second 412 keep what is there and tell the user.", .recover,
            isSpecified: true),
        row(500, .sync, "The server failed.", "Tell the user, who may try again.", .tellUser),
        row(
            502, .sync, "A gateway got no answer.", "Tell the user, who may try again.", .tellUser),
        row(
            504, .sync, "A gateway waited in vain.", "Tell the user, who may try again.", .tellUser),
        row(
            509, .sync, "The project is shut out.", "Tell the user, who may try again.", .tellUser),
    ]

    /// What holds for the other requests.
    static let others: [CodeAdvice] = [
        row(
            200, .check, "A server that takes submissions answers 204; this may be a gateway.",
            "Do not submit, and show the address to the user.", .tellUser),
        row(
            204, .check, "The server takes submissions.",
            "Submit to the Location of the answer, if it is on the same host, with the query of "
                + "the request.", .done),
        row(200, .forms, "The forms or files follow.", "Read and store what is new.", .done),
        row(
            301, .forms, "The address has moved.",
            "Follow on the same host and scheme alone, and tell the user otherwise.", .follow),
        row(
            302, .forms, "The address has moved for now.",
            "Follow on the same host and scheme alone, and tell the user otherwise.", .follow),
        row(500, .forms, "The server failed.", "Tell the user, who may try again.", .tellUser),
        row(201, .claim, "The case was claimed, and the device does not have it.", "Sync.", .sync),
        row(204, .claim, "The device has the case as it is.", "Go on without a sync.", .done),
        row(400, .claim, "The request names no case.", "Tell the user.", .tellUser),
        row(410, .claim, "The case to be claimed is gone.", "Tell the user.", .tellUser),
        row(500, .claim, "The server failed.", "Tell the user, who may try again.", .tellUser),
        row(200, .search, "The cases found follow.", "Show them.", .done),
        row(400, .search, "The search is not one.", "Show the text of the answer.", .tellUser),
        row(500, .search, "The server failed.", "Tell the user, who may try again.", .tellUser),
        row(
            200, .heartbeat, "The versions to have follow.",
            "Offer them where app_id is the device's own.", .done),
        row(
            400, .heartbeat, "The report is not what the server takes.",
            "Go on, and report at the next time.", .backOff),
        row(
            404, .heartbeat, "The server does not know the application's build.",
            "Go on, and report at the next time.", .backOff),
        row(
            500, .heartbeat, "The server failed.", "Go on, and report at the next time.", .backOff),
        row(200, .keys, "The keys follow.", "Store them, and open the user's data.", .done),
        row(
            404, .keys, "The server keeps no keys.", "Go on with the keys of the device.", .done),
        row(
            500, .keys, "The server failed.",
            "Go on with the keys of the device, if they are not too old.", .backOff),
        row(200, .other, "The request succeeded.", "Use the answer.", .done),
        row(201, .other, "It was done.", "Use the answer.", .done),
        row(204, .other, "There was nothing to do.", "Go on.", .done),
        row(400, .other, "The request is not what the server takes.", "Tell the user.", .tellUser),
        row(500, .other, "The server failed.", "Tell the user, who may try again.", .tellUser),
    ]
}
