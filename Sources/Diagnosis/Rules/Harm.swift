/// Why a mistake harms, by the entry of the catalogue that a rule cites first.
enum Harm {
    private static let mark = "Diagnosis/Catalogue.md#"

    /// The harm of a breach, in a sentence or two; nil where the rule cites no entry.
    static func of(_ rule: Rule) -> String? {
        entry(of: rule.source).flatMap { all[$0] }
    }

    /// The first entry that a source cites, such as `r16`.
    static func entry(of source: String) -> String? {
        source.firstRange(of: mark).map { range in
            String(source[range.upperBound...].prefix(while: isOfName))
        }
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-"
    }

    private static let all = simperium.merging(commCare) { first, _ in first }
        .merging(httpLayer) { first, _ in first }

    /// Clients and servers of Simperium.
    private static let simperium: [String: String] = [
        "r01": "The server cannot know whose bucket is meant, and drops the commands.",
        "r02": "The channel is closed; what is sent is lost.",
        "r03":
            "The answer stays the same, and the server is loaded; the user is never asked "
            + "to sign in.",
        "r04":
            "The server refuses it, or treats the client as an old one and answers `c:?` to "
            + "an unknown `cv`, which the client does not expect.",
        "r05": "Sent again, they are not recognised as duplicates, and are applied twice.",
        "r06": "Each takes the other's acknowledgements for its own, and edits get lost.",
        "r07":
            "Its base is unknown: the server refuses it, or it overwrites what others "
            + "wrote.",
        "r08": "Servers read one object with these members; the edit is dropped.",
        "r09": "Without a base the server answers 405.",
        "r10": "No version fits what the client holds: the server answers 405.",
        "r11":
            "The diff is based on an outdated text: the server has to guess where it "
            + "belongs, or answers 405.",
        "r12": "The version at hand is stuck; all further edits of the object are at risk.",
        "r13": "If the first is refused or moved, the second does not fit.",
        "r14":
            "The server takes the second for a duplicate and drops it: what differs is "
            + "lost.",
        "r15": "The server drops the new change as a duplicate.",
        "r16": "It is applied twice: text stands there double.",
        "r17":
            "The server has it; each attempt is refused, or doubles the text under a new "
            + "`ccid`.",
        "r18":
            "The client does not learn the version that holds its edit, and goes on from an "
            + "old one.",
        "r19": "There is nothing to change, and the repetition never ends.",
        "r20": "It will be refused for ever, and keeps what waits behind it.",
        "r21": "The user's later edits of it stay on the device, without a word.",
        "r22": "It is refused each time.",
        "r23": "Its base is still wrong.",
        "r24": "The diff can still not be applied.",
        "r25":
            "It replaces the object: the user's data are gone, nested in themselves, or "
            + "undone.",
        "r26": "Traffic without end, and others' edits are overwritten with each success.",
        "r27":
            "The server lacks the object: diffs of it will be refused for ever, and the "
            + "edit is lost.",
        "r28": "They are refused like the first.",
        "r29": "The server answers 440, or the text is garbled.",
        "r30":
            "The server answers 440, or puts the text at the wrong place, from the first "
            + "emoji on.",
        "r31":
            "An emoji breaks into two invalid halves: the server answers 440, or all see a "
            + "replacement character.",
        "r32": "The server answers 412, and the change was sent for nothing.",
        "r33": "The server answers 440, or the value of somebody else is replaced.",
        "r34": "What others type at the same time is overwritten.",
        "r35": "The user's edit is gone.",
        "r36": "The user reads the text twice.",
        "r37": "Needless versions, echoes between clients, and objects that come back or go.",
        "r38": "The client shows a wrong text, and its next diff is based on it.",
        "r39": "Costs time and bytes that grow with the bucket, and can undo what is not sent.",
        "r40": "The client stays at an old state for ever.",
        "r41":
            "All changes since are sent and applied again; with applied deltas text is "
            + "doubled.",
        "r42": "The server can only answer `cv:?`, and the index has to be read.",
        "r43": "The server sends everything at once, or the client reads one page in a loop.",
        "r44": "Objects are missing on the device.",
        "r45": "The server throttles the client, and traffic costs battery and money.",
        "r46": "The server answers `?`, and the object is never loaded.",
        "r47": "Another object is requested, or none.",
        "r48": "The server ends the connection, or the client believes a dead one.",
        "r49": "Harmless; but answers cannot be distinguished.",
        "r50": "The user sees no edits of others, and own ones wait unseen.",
        "r51": "All clients at once keep a struggling server down.",
        "r52": "The server answers 503 to all of the changes.",
        "r53": "The edit is lost if the first attempt did not arrive.",
        "r54": "They are based on an old version, and are refused as duplicates.",
        "r55": "The server answers 400, and the object comes back.",
        "r56": "The server answers 400 to each of its changes.",
        "r57": "Servers tolerate it; others need not.",
        "r58": "Support cannot see what the client holds.",
        "r59": "Support cannot see what the client holds, or needless traffic is sent.",
        "r60": "The server answers `?` or nothing.",
        "r61": "Nothing is understood.",
        "r62": "Each change arrives twice, and may be applied twice.",
        "r63": "The own change counts as stored, and is lost if it is refused.",
        "r64": "The object goes back, and so do further diffs.",
        "r65": "The server refuses it, or an object that somebody removed comes back.",
        "r66": "An object that is there is removed for everybody.",
        "s01": "Clients believe wrong data or wait for ever.",
        "s02": "Clients have deleted the edit from their queue, so that it is lost for all.",
    ]

    /// Clients and servers of CommCare and OpenRosa.
    private static let commCare: [String: String] = [
        "c01":
            "CommCare HQ reports errors as 201 then, and forms are deleted that it did not "
            + "accept; other servers refuse.",
        "c02":
            "CommCare HQ compares exactly: it reports errors as 201 then, and forms are "
            + "deleted that it did not accept.",
        "c03": "Servers drop the field, so that it is as missing.",
        "c04": "No token or form can be assigned to a device.",
        "c05":
            "The server does not learn what the device has, and the next sync fails with "
            + "412.",
        "c06":
            "The delta is for another state: cases are missing or refused, and the sync "
            + "fails with 412.",
        "c07": "One of the two is old, and the server may take that.",
        "c08": "It is refused again; the device never gets new cases.",
        "c09": "The device never gets new cases, and the user is not informed.",
        "c10": "The client has no way out: it stops and tells the user.",
        "c11": "The device lost cases or has too many; the sync fails with 412.",
        "c12": "CommCare HQ answers 500.",
        "c13": "The server cannot see that cases are missing; alone it is ignored.",
        "c14": "CommCare Android aborts the sync.",
        "c15": "CommCare Android aborts the sync; 0 crashes it.",
        "c16": "Load without use, on a server that is busy.",
        "c17": "The user waits without need; the result is dropped after an hour.",
        "c18": "CommCare Android aborts the sync.",
        "c19": "Clients that look for its names show no progress.",
        "c20": "CommCare Android aborts the sync.",
        "c21": "A job may hang or have begun anew.",
        "c22": "No user waits that long.",
        "c23": "It can never be accepted, and blocks others.",
        "c24": "CommCare Android sends the form for ever.",
        "c25": "CommCare Android looks at the first element only, and sends the form again.",
        "c26": "One odd form keeps all others on the device.",
        "c27": "A full restore replaces the cases that the form is about.",
        "c28": "It makes the overload worse and counts against the limit.",
        "c29": "It makes the overload worse and counts against the limit, for hours.",
        "c30": "Impatient users add to the overload, too.",
        "c31": "The server is asked before it can answer, and may count it against the limit.",
        "c32": "Clients can only guess how long to wait.",
        "c33": "The user sees raw text or nothing.",
        "c34": "Clients that go by the type do not read it.",
        "c35": "Nothing has changed; the user has to act.",
        "c36": "No translation is found.",
        "c37":
            "OpenRosa gives it no meaning: ODK Collect sends the form for ever, CommCare "
            + "Android deletes it.",
        "c38": "The form may never have arrived, and a client that deletes it loses it.",
        "c39": "The form was not accepted; clients that look at the code delete it.",
        "c40": "CommCare HQ answers 400.",
        "c41": "The server cannot know which one is the form.",
        "c42": "CommCare HQ answers 422.",
        "c43": "CommCare HQ answers 400.",
        "c44": "The picture is lost.",
        "c45": "The server answers 413, each time.",
        "c46": "The server answers 422 to every client, and the form is lost.",
        "c47": "The server does not know which form it is.",
        "c48": "A form that is sent twice cannot be recognised.",
        "c49": "The second replaces the first as an edit; or the form is there twice.",
        "c50": "Needless; without recognition it is there twice.",
        "c51": "The form is refused, or the restore that contains it fails.",
        "c52": "The form is refused, or the restore that contains it fails.",
        "c53":
            "The form is refused, or the restore that contains it fails; the user has to "
            + "intervene.",
        "c54": "A device aborts the whole sync.",
        "c55": "CommCare Android drops its state and recovers, again and again.",
        "c56": "Indices and attachments are lost.",
        "c57": "The device can never sync incrementally.",
        "c58": "The sync fails.",
        "c59": "Progress is wrong; truncation goes unnoticed.",
        "c60": "The sync fails.",
        "c61": "Tokens no longer identify a state; needless bytes.",
        "c62": "CommCare Android crashes.",
        "c63": "Times of forms are wrong.",
        "c64": "Clients cannot tell the server from a gateway.",
        "c65": "Clients have to guess a size.",
        "c66": "Clients that go by the type do not read it.",
        "c67": "Anybody on the way reads them.",
        "c68": "The server does not find the user.",
        "c69": "It becomes a GET, and the form does not arrive.",
        "c70": "Clients refuse to follow.",
        "c71": "The sync fails with 412, or another user's cases get on the device.",
        "c72": "The server has one idea of two states, and the sync fails with 412.",
        "c73": "It is refused again; accounts get locked.",
        "c74": "The client cannot know whether this is a submission endpoint at all.",
        "c75": "A case is changed before it is made.",
        "c76": "It depends on the server which one holds.",
        "c77": "The server answers 403.",
        "c78": "No harm; but others cannot rely on the field.",
        "c79": "CommCare HQ ignores it, other servers do not: lookup tables are missing.",
        "c80": "The claimed case is not on the device.",
        "c81": "A redirect makes it a GET.",
        "c82": "The reason of the refusal is lost.",
        "c83": "The client sends the form again, and the server has it twice.",
        "c84": "Mobile clients give up.",
        "c85": "It is ambiguous where the body ends, or the server refuses it again.",
        "c86": "Strict clients do not read it.",
        "c87": "The whole sync fails, and the old token stays.",
        "c88": "CommCare HQ begins the restore anew.",
        "c90": "The user works on with old cases, unaware.",
        "c89": "Costs time and bytes that grow with the number of cases; servers throttle it.",
    ]

    /// HTTP.
    private static let httpLayer: [String: String] = [
        "o-r1": "Load without use.",
        "o-r2": "The same request gets the same answer.",
        "o-r5": "The server cannot read it.",
        "o-r6": "Servers of forms and restores refuse it.",
    ]
}
