internal import Simperium

/// The client library that names itself in an `init`.
enum ClientLibrary: String, Hashable, Sendable, CaseIterable {
    /// simperium-android.
    case android = "simperium-android"
    /// simperium-ios, of iOS and macOS.
    case ios = "simperium-ios"
    /// node-simperium, of Node and Electron.
    case node = "node-simperium"
    /// simperium-js, which names no library.
    case javascript = "simperium-js"

    /// The library of an `init`; nil for others.
    init?(_ request: InitRequest) {
        switch request.library ?? "" {
        case "android": self = .android
        case "ios", "osx": self = .ios
        case "node-simperium": self = .node
        case "" where request.clientID?.hasPrefix("sjs-") == true: self = .javascript
        default: return nil
        }
    }
}

/// What causes a mistake in the client library that made it, by the entry of the catalogue that the
/// rule cites first.
///
/// Of each library what was seen in its code or traffic, as the entries of the catalogue say.
enum LibraryCauses {
    /// The cause of a breach in a library; nil where none is known of it.
    static func of(_ rule: Rule, in library: ClientLibrary) -> String? {
        guard let entry = Harm.entry(of: rule.source), let text = all[entry]?[library] else {
            return nil
        }
        return "\(library.rawValue): \(text)"
    }

    /// By entry and library.
    static let all: [String: [ClientLibrary: String]] = [
        "r02": [.node: "`auth:expired` is no JSON, and is taken for a user name."],
        "r04": [.javascript: "the init has neither api nor library nor version."],
        "r05": [
            .android: "the session id is made anew while unanswered changes are kept.",
            .javascript: "the client id is made anew while unanswered changes are kept.",
        ],
        "r06": [.node: "two windows share one client id."],
        "r07": [.ios: "the queue of changes starts before the index was read."],
        "r11": [
            .android: "the version of the ghost is not advanced by an acknowledgement.",
            .node: "after 409 the ghost keeps its version.",
        ],
        "r12": [.android: "the version of the ghost is not advanced by an acknowledgement."],
        "r14": [.android: "the diff is made anew for each retry, under the same ccid."],
        "r16": [
            .javascript:
                "after 409 the object is compared again, and the same diff gets a new ccid."
        ],
        "r17": [
            .javascript:
                "after 409 the object is compared again, and the same diff gets a new ccid."
        ],
        "r18": [
            .android: "409 counts as an acknowledgement, and no cv follows.",
            .node: "409 counts as an acknowledgement, and no cv follows.",
            .ios: "409 discards what waits for the key, and no cv follows.",
        ],
        "r21": [
            .node:
                "only 405, 409, 412 and 440 are handled; after another error the change stays in the list of "
                + "those sent, and the key is never sent again.",
            .android: "after the error the change is dropped, and the object stays as it is.",
            .ios: "after the error the change is discarded.",
        ],
        "r25": [.node: "the ghost with its version is sent as the object."],
        "r35": [.node: "the member of the local edit is lost while a remote change is rebased."],
        "r36": [.node: "a change that is still unanswered is rebased again when it comes back."],
        "r37": [.android: "a remote change counts as a local edit when it is saved."],
        "r39": [
            .ios: "a version that does not fit makes it read the whole index.",
            .javascript: "after an error it reads the whole index.",
        ],
        "r40": [
            .android: "the cv is not removed when the server does not know it.",
            .ios: "the cv is not removed when the server does not know it.",
        ],
        "r42": [
            .ios: "without a cv it asks with an empty one.",
            .javascript: "without a cv it asks with 0.",
        ],
        "r49": [
            .ios: "the number of the heartbeat is constant.",
            .javascript: "the number of the heartbeat is constant.",
        ],
        "r53": [.node: "the queue is kept in memory, and is empty after a restart."],
        "r54": [.node: "the queue starts before the cv was answered."],
        "r57": [.ios: "sv is sent as a string, and api as a number."],
    ]
}
