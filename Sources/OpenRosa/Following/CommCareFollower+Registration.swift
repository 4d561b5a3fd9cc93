/// The registration of a restore.
extension CommCareFollower {
    /// The role of a child of `Registration`.
    func inRegistration(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        let order: [OpenRosaWord] = [.username, .password, .uuid, .date]
        if let place = order.firstIndex(of: word) {
            if place != facts.registrationStep {
                note("openrosa.registration-order", "\(word.rawValue) out of order", tag.position)
            }
            facts.registrationStep = place + 1
        }
        switch word {
        case .username: return keep(.username)
        case .uuid: return keep(.uuid)
        case .date: return keep(.date)
        case .phoneID: return keep(.phoneID)
        case .password:
            registration?.hasPassword = true
            return nil
        case .token:
            registration?.hasToken = true
            return nil
        case .userData:
            if registration?.userData == nil { registration?.userData = [] }
            return .userData
        default:
            note("openrosa.registration-unknown", "<\(tag.name.local)>", tag.position)
            return nil
        }
    }

    /// The role of a child of `user_data`.
    func inUserData(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        guard word == .data else { return nil }
        return keep(.userDatum, named: tag["key"] ?? "")
    }

    /// Ends the registration.
    func endRegistration() {
        guard var registration else { return }
        self.registration = nil
        registration.isCut = isCut
        emit(.registration(registration), isCut: isCut)
        if registration.username == nil || registration.uuid == nil || registration.date == nil
            || !registration.hasPassword
        {
            note(
                "openrosa.registration-incomplete", "a field of the registration is missing",
                registration.position)
        }
    }
}
