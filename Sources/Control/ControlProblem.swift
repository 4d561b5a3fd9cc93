import Faults
import Notation
import Serving
import Wire

extension ServedProblem {
    /// A mistake in a rule, a plan or an action.
    init(_ error: FaultPlanError, code: String = "bad-rule", file: String? = nil) {
        let start = file.map { "\($0):\(error.place.line):\(error.place.column): " } ?? ""
        self.init(
            422, code, start + error.description,
            place: Place(
                line: error.place.line, column: error.place.column, text: error.place.text,
                range: error.place.range),
            hint: "correct the text at the place and send it again; nothing was changed")
    }

    /// Why the rules were not changed.
    init(_ error: FaultSessionError) {
        switch error {
        case .duplicateName(let name):
            self.init(
                409, "duplicate-name", error.description,
                hint: "give another name, or change the rule: PUT /v1/rules/\(name)")
        case .noRule:
            self.init(
                404, "no-rule", error.description, hint: "GET /v1/rules lists the rules")
        case .tooManyRules:
            self.init(
                409, "too-many-rules", error.description,
                hint: "remove rules that are no longer needed")
        }
    }

    /// A body that is not JSON.
    init(_ error: JSONError, in bytes: [UInt8]) {
        let offset = min(error.offset, bytes.count)
        let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
        let before = String(decoding: bytes[start..<offset], as: UTF8.self).unicodeScalars.count
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        self.init(
            400, "bad-json", "\(error)",
            place: Place(
                line: bytes[..<offset].count { $0 == 0x0A } + 1, column: before + 1, text: text,
                range: before..<min(before + 1, text.unicodeScalars.count)),
            hint: "send JSON, or a rule of one line as text/plain")
    }
}
