package import Certification
internal import Notation
package import Replaying
package import Wire

/// The steps of a person that explain what a CommCare device requested.
///
/// A form that is sent again, a restore that follows an answer which asks for one, and what follows a
/// claim are the device's own work and are left to it.
package struct FormScript {
    /// A request of the device, with what came of it.
    package struct Request {
        /// When it began, and when its answer had come.
        package var at: Instant
        package var endedAt: Instant
        /// Its API, as the trace names it.
        package var api: String
        /// Status of its answer; nil without one.
        package var status: Int?
        /// The user who is signed in, and the device; nil where it names none.
        package var user: String?
        package var device: String?
        /// How many days ago the device says that it synced last; nil where it does not.
        package var daysSinceSync: Int?
        /// Header fields and body.
        package var message: ReplayMessage

        /// A request with these values.
        package init(
            at: Instant, endedAt: Instant, api: String, status: Int?, user: String? = nil,
            device: String? = nil, daysSinceSync: Int? = nil, message: ReplayMessage
        ) {
            self.at = at
            self.endedAt = endedAt
            self.api = api
            self.status = status
            self.user = user
            self.device = device
            self.daysSinceSync = daysSinceSync
            self.message = message
        }
    }

    /// A form that was sent.
    private struct Form {
        var meaning: Meaning
        var instance: String
        var isStored: Bool
    }

    /// The steps so far.
    package private(set) var steps: [Step] = []
    /// The forms and their attachments.
    package private(set) var files: [Scenario.File] = []
    /// Forms that the steps do not explain, since their bodies cannot be read.
    package private(set) var unexplained = 0

    private var forms: [Form] = []
    /// When the person finished each form that a step submits, by the name of its file.
    private var finished: [String: Int64] = [:]
    private var user: String?
    private var device: String?
    private var lastAt: Instant?
    /// Whether the next restore goes on with the one before.
    private var goesOn = false
    /// When a claim was answered last.
    private var claimedAt: Instant?

    /// The shortest time between two steps that is kept, and the longest.
    private static let pauseNanoseconds: ClosedRange<Int64> = 1_000_000_000...300_000_000_000
    /// Restores within this time after a claim belong to it.
    private static let claimNanoseconds: Int64 = 2_000_000_000

    /// The script of a device that has done nothing.
    package init() {}

    /// The next request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isLeftOut: Whether no step is to bring it about: it is the breach itself.
    package mutating func take(_ request: Request, isLeftOut: Bool = false) {
        defer { lastAt = max(lastAt ?? request.endedAt, request.endedAt) }
        let before = steps.count
        switch request.api {
        case "commcare.submit", "openrosa.submit": submit(request, isLeftOut)
        case "commcare.restore": restore(request, isLeftOut)
        case "commcare.claim": claim(request, isLeftOut)
        default: return
        }
        guard steps.count > before else { return }
        var preface: [Step] = []
        if let last = lastAt {
            let pause = request.at.nanoseconds - last.nanoseconds
            if pause >= Self.pauseNanoseconds.lowerBound {
                let kept = min(pause, Self.pauseNanoseconds.upperBound)
                preface.append(.pause((Double(kept) / 1e8).rounded(.up) / 10))
            }
        }
        if let name = request.user {
            if let user, user != name { preface.append(.signIn(user: name)) }
            user = name
        }
        if let name = request.device {
            if let device, device != name { preface.append(.move(device: name)) }
            device = name
        }
        steps.insert(contentsOf: preface, at: before)
    }

    /// The device has nothing more to do; the person syncs, so that it can send what waits.
    ///
    /// - Parameter end: Until when the session goes on.
    package mutating func finish(at end: Instant) {
        guard !steps.isEmpty else { return }
        if let last = lastAt, end.nanoseconds - last.nanoseconds >= Self.pauseNanoseconds.lowerBound
        {
            let pause = min(end.nanoseconds - last.nanoseconds, Self.pauseNanoseconds.upperBound)
            steps.append(.pause((Double(pause) / 1e8).rounded(.up) / 10))
        }
        steps.append(.sync(isAutomatic: false))
        orderSubmissions()
    }

    /// Puts forms that are submitted one after the other into the order in which the person
    /// finished them, whichever the device sent first.
    private mutating func orderSubmissions() {
        func end(_ step: Step) -> Int64? {
            if case .submit(let form, _, _) = step { finished[form] } else { nil }
        }
        var start = 0
        while start < steps.count {
            let run = steps[start...].prefix { end($0) != nil }
            steps.replaceSubrange(
                run.indices, with: run.sorted { (end($0) ?? 0) < (end($1) ?? 0) })
            start += max(run.count, 1)
        }
    }

    private mutating func submit(_ request: Request, _ isLeftOut: Bool) {
        guard let parts = SubmittedForm(request.message) else {
            unexplained += 1
            return
        }
        goesOn = false
        let isStored = request.status.map { 200...299 ~= $0 } ?? false
        let meaning = Meaning(
            request.message.body, contentType: request.message.value("content-type"))
        let known = forms.firstIndex { form in
            parts.instance == form.instance || !form.isStored && form.meaning.isSame(as: meaning)
        }
        if let known {
            forms[known].isStored = forms[known].isStored || isStored
            return
        }
        forms.append(Form(meaning: meaning, instance: parts.instance, isStored: isStored))
        guard !isLeftOut else { return }
        let name = "form-\(forms.count).xml"
        files.append(Scenario.File(name: name, content: parts.form))
        finished[name] = parts.finishedAt
        var attachments: [String] = []
        for attachment in parts.attachments {
            let file = "form-\(forms.count)/\(attachment.name)"
            files.append(Scenario.File(name: file, content: attachment.content))
            attachments.append(file)
        }
        let how: Step.Manner
        if request.api == "openrosa.submit" {
            how = .openRosa
        } else if request.message.value("authorization") == nil {
            how = .demo
        } else if request.message.value("transfer-encoding") != nil {
            how = .chunked
        } else {
            how = .usual
        }
        steps.append(.submit(form: name, attachments: attachments, how: how))
    }

    private mutating func restore(_ request: Request, _ isLeftOut: Bool) {
        defer { goesOn = request.status != 200 }
        if let claimedAt,
            request.at.nanoseconds - claimedAt.nanoseconds < Self.claimNanoseconds
        {
            return
        }
        guard !goesOn, !isLeftOut else { return }
        if let days = request.daysSinceSync, days > 0 { steps.append(.later(days: days)) }
        steps.append(.sync(isAutomatic: false))
    }

    private mutating func claim(_ request: Request, _ isLeftOut: Bool) {
        guard !isLeftOut,
            case .fields(let fields) = Meaning(
                request.message.body, contentType: request.message.value("content-type")),
            let id = fields.first(where: { $0.name == "case_id" })?.value
        else { return }
        claimedAt = request.endedAt
        steps.append(.claim(caseID: id))
    }
}
