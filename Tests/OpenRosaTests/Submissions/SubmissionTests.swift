import Testing

@testable import OpenRosa

@Suite struct SubmissionTests {
    private static let form = SubmissionPart(
        name: "xml_submission_file", filename: "form.xml", contentType: "text/xml", size: 1000)
    private static let photo = SubmissionPart(
        name: "1.jpg", filename: "1.jpg", contentType: "image/jpeg", size: 5000)
    private static let marker = SubmissionPart(name: "*isIncomplete*", size: 3)

    private static func changed(
        _ part: SubmissionPart, _ change: (inout SubmissionPart) -> Void
    ) -> SubmissionPart {
        var part = part
        change(&part)
        return part
    }

    static let table: [([SubmissionPart], [SubmissionFinding.Code], [Int?])] = [
        ([form], [], []),
        ([form, photo], [], []),
        ([changed(form) { $0.contentType = "Text/XML; charset=UTF-8" }], [], []),
        ([changed(form) { $0.contentType = "application/xml" }], [], []),
        ([], [.formMissing], [400]),
        ([photo], [.formMissing], [400]),
        ([form, form], [.formRepeated], [nil]),
        ([photo, form], [.formNotFirst], [nil]),
        ([changed(form) { $0.size = 0 }], [.formEmpty], [400]),
        ([changed(form) { $0.size = 10 << 20 }], [], []),
        ([changed(form) { $0.size = 10 << 20 + 1 }], [.formTooLarge], [413]),
        ([changed(form) { $0.filename = nil }], [.formIsField], [400]),
        ([changed(form) { $0.filename = "form.exe" }], [.formFilename], [422]),
        ([changed(form) { $0.filename = "xml" }], [.formFilename], [422]),
        ([changed(form) { $0.filename = "F.XML" }], [], []),
        ([changed(form) { $0.contentType = "text/plain" }], [.formType], [nil]),
        ([changed(form) { $0.contentType = nil }], [.formType], [nil]),
        ([form, changed(photo) { $0.size = 15 << 20 }], [], []),
        ([form, changed(photo) { $0.size = 15 << 20 + 1 }], [.attachmentTooLarge], [413]),
        ([form, changed(photo) { $0.name = nil }], [.partNameless], [nil]),
        // An encrypted picture: the extension is of no use, the type is.
        ([form, changed(photo) { $0.filename = "1.jpg.aes" }], [.attachmentNames], [nil]),
        (
            [
                form,
                changed(photo) {
                    $0.filename = "1.jpg.aes"
                    $0.contentType = "text/plain"
                },
            ], [.attachmentNames, .attachmentType], [nil, 422]
        ),
        (
            [
                form,
                SubmissionPart(name: "a.exe", filename: "a.exe", contentType: "x/y", size: 1),
            ],
            [.attachmentType], [422]
        ),
        (
            [form, SubmissionPart(name: "a.pdf", filename: "a.pdf", contentType: nil, size: 1)], [],
            []
        ),
        (
            [form, SubmissionPart(name: "a", filename: "a", contentType: "audio/x", size: 1)], [],
            []
        ),
        ([form, photo, photo], [.attachmentRepeated], [nil]),
        ([form, marker], [.field], [400]),
        ([form, SubmissionPart(name: "x", size: 3)], [.field], [400]),
    ]

    @Test(arguments: table)
    func `finds what CommCare HQ does not take`(
        parts: [SubmissionPart], codes: [SubmissionFinding.Code], statuses: [Int?]
    ) {
        let findings = Submission(.multipart(parts)).findings()
        #expect(findings.map(\.code) == codes)
        #expect(findings.map(\.status) == statuses)
        #expect(findings.allSatisfy { !$0.detail.isEmpty })
    }

    @Test func `compares what the form names with what was sent`() {
        let submission = Submission(.multipart([Self.form, Self.photo]))
        #expect(submission.findings(references: ["1.jpg", "1.jpg"]).isEmpty)
        let findings = submission.findings(references: ["2.jpg", "2.jpg"])
        #expect(findings.map(\.code) == [.attachmentUnreferenced, .attachmentMissing])
        #expect(findings.first?.part == 1)
        let encrypted = Self.changed(Self.photo) { $0.filename = "1.jpg.aes" }
        #expect(
            Submission(.multipart([Self.form, encrypted])).findings(references: ["1.jpg"])
                .map(\.code) == [.attachmentNames])
        #expect(
            Submission(.plain(contentType: "text/xml", size: 9)).findings(references: ["a.jpg"])
                .isEmpty)
    }

    @Test func `ODK's mark is fine for an OpenRosa server, which says how much it takes`() {
        let submission = Submission(.multipart([Self.form, Self.photo, Self.marker]))
        #expect(submission.isIncomplete)
        #expect(submission.attachments == [Self.photo])
        #expect(submission.contentSize == 6003)
        #expect(submission.findings(profile: .openRosa).isEmpty)
        let limits = Submission.Limits(body: 6002)
        #expect(
            submission.findings(profile: .openRosa, limits: limits).map(\.code) == [.bodyTooLarge])
        let field = Submission(.multipart([Self.form, SubmissionPart(name: "x", size: 1)]))
        #expect(field.findings(profile: .openRosa).map(\.status) == [nil])
    }

    @Test func `a plain body is the form`() {
        func codes(_ size: Int64) -> [SubmissionFinding.Code] {
            Submission(.plain(contentType: "text/xml", size: size)).findings().map(\.code)
        }
        #expect(codes(1) == [])
        #expect(codes(0) == [.formEmpty])
        #expect(codes(11 << 20) == [.formTooLarge])
        #expect(
            Submission(.multipart([Self.form, Self.changed(Self.photo) { $0.size = .max }]))
                .contentSize == .max)
    }
}
