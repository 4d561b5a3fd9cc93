/// Rules of CommCare and OpenRosa that one exchange tells.
///
/// Two profiles, since the specifications contradict each other: what begins with `commcare.` holds
/// for CommCare's endpoints, what begins with `openrosa.` for those of OpenRosa, or for both where
/// its sentence says so.
enum CommCareExchangeRules {
    static let all: [Rule] =
        headers + sync + submission + form + serverSync + serverSubmission + serverAnswers
}
