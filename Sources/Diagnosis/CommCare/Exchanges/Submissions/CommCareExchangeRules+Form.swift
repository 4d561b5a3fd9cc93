import Wire

extension CommCareExchangeRules {
    /// Rules about the content of a form.
    static let form: [Rule] = [
        notWellFormed, xmlnsMissing, openRosaNameless, instanceIDMissing, instanceIDRepeated,
        caseIncomplete, createUnknown, valueTooLong, indexWrong, versionOne,
    ]

    private static let unkept = "The content of the form is not kept completely."
    static let notWellFormed = Rule.exchange(
        "commcare.form.not-well-formed", .error, repetition: .topic,
        title: "A form is well-formed XML.",
        source:
            "XML 1.0; CommCare HQ answers 422 to every client (pull request 25609), and the form is lost; Diagnosis/Catalogue.md#c46.",
        evidence: "A form that is empty, not well-formed, or not in the encoding it declares.",
        expects: "A complete document in UTF-8.", silent: unkept,
        cause: "Text is put into XML without escaping, or a file is sent before it is written.")
    static let xmlnsMissing = Rule.exchange(
        "commcare.form.xmlns-missing", .error, repetition: .topic,
        title: "The root of a form has a namespace.",
        source:
            "CommCare HQ: \"Form is missing a required field: XMLNS\"; Diagnosis/Catalogue.md#c47.",
        evidence: "A root element in no namespace.", expects: "The `xmlns` of the form definition.",
        silent: unkept)
    static let openRosaNameless = Rule.exchange(
        "openrosa.form.id-missing", .error, repetition: .topic,
        title: "The root of a form has an id or a namespace.",
        source:
            "OpenRosa/Specification.md#forms: the form is known by `id` or `xmlns`; Diagnosis/Catalogue.md#c47.",
        evidence: "A root element without either.", expects: "The `id` of the form definition.",
        silent: unkept)
    static let instanceIDMissing = Rule.exchange(
        "commcare.form.instance-id-missing", .error, repetition: .topic,
        title: "A form has an instanceID.",
        source:
            "OpenRosa/Specification.md#metadata: `instanceID` is required; without it a server cannot detect a form sent twice; Diagnosis/Catalogue.md#c48.",
        evidence: "A form without `meta`, or with no `instanceID` in it.",
        expects: "`meta/instanceID`, made once a form.",
        silent: unkept + " Device reports have none.")
    static let instanceIDRepeated = Rule.exchange(
        "commcare.form.instance-id-repeated", .error, repetition: .topic,
        title: "A form has one instanceID.",
        source: "OpenRosa/Specification.md#metadata: one `instanceID`; Diagnosis/Catalogue.md#c48.",
        evidence: "More than one `instanceID` in `meta`.", expects: "One.", silent: unkept)
    static let caseIncomplete = Rule.exchange(
        "commcare.case.incomplete", .error, repetition: .topic,
        title: "A case block has all required elements.",
        source:
            "OpenRosa/Specification.md#case-blocks: `case_id` and `date_modified`, and for `create` a type, a name and an owner or user (commcare-core CaseXmlParser); Diagnosis/Catalogue.md#c51.",
        evidence: "A case block of a form without one of them.",
        expects: "All of them; the server refuses the form otherwise.", silent: unkept)
    static let createUnknown = Rule.exchange(
        "commcare.case.unknown-in-create", .error, repetition: .topic,
        title: "create holds only the type, the name and the owner.",
        source:
            "commcare-core CaseXmlParser refuses anything else in `create`; Diagnosis/Catalogue.md#c51.",
        evidence: "Another element in `create` of a form's case block.",
        expects: "Other properties in `update`.", silent: unkept)
    static let valueTooLong = Rule.exchange(
        "commcare.case.value-too-long", .error, repetition: .topic,
        title: "Type, name, owner and external id have at most 255 characters.",
        source: "commcare-core checkForMaxLength; Diagnosis/Catalogue.md#c52.",
        evidence: "A longer one in a form.", expects: "At most 255 characters.", silent: unkept)
    static let indexWrong = Rule.exchange(
        "commcare.case.index", .error, repetition: .topic,
        title: "An index leads to another case as child or extension.",
        source:
            "commcare-core refuses an index to the case itself and a `relationship` that is empty or unknown; Diagnosis/Catalogue.md#c53.",
        evidence: "Such an index in a form.",
        expects: "`relationship` `child` or `extension`, or none, and another case.",
        silent: unkept)
    static let versionOne = Rule.exchange(
        "commcare.case.version-1", .warning, repetition: .topic,
        title: "Case blocks are of version 2.",
        source:
            "OpenRosa/Specification.md#case-blocks; blocks of version 1 have elements for ids and no indices; Diagnosis/Catalogue.md#c56.",
        evidence: "A block with `case_id` as an element, outside of the namespace of version 2.",
        expects: "`<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=…>`.",
        silent: unkept)
}
