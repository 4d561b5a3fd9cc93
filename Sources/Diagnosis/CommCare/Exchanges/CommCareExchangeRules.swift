/// Rules of CommCare and OpenRosa that one exchange decides.
///
/// Two profiles, since the specifications contradict each other: what begins with `commcare.` holds
/// for CommCare's endpoints, what begins with `openrosa.` for those of OpenRosa, or for both where
/// its sentence applies to both.
enum CommCareExchangeRules {
    static let all: [Rule] =
        headers + sync + submission + form + serverSync + serverSubmission + serverAnswers
}
