internal import Foundation
internal import Replaying
internal import Sessions
internal import Wire

/// The forms that steps submit, and that the server has to accept.
enum ExpectedForms {
    /// The forms of a reproduction that were not accepted, by the traffic of a test.
    ///
    /// - Parameters:
    ///   - reproduction: The reproduction.
    ///   - folder: Its folder, with the forms.
    ///   - trace: The traffic.
    /// - Returns: A difference for each form, with the name of its file.
    /// - Throws: ``SessionError`` and ``TraceError`` where the trace cannot be read.
    static func differences(
        from reproduction: Reproduction, in folder: String, _ trace: String
    ) throws -> [RetestResult.Difference] {
        guard !reproduction.forms.isEmpty else { return [] }
        let session = try RecordedSession(path: trace)
        var accepted: Set<String> = []
        for exchange in session.exchanges where 200..<300 ~= exchange.status ?? 0 {
            guard exchange.api.hasSuffix(".submit"),
                let message = session.message(exchange.id, .client),
                let form = SubmittedForm(message)
            else { continue }
            accepted.insert(form.instance)
        }
        let forms = reproduction.forms.compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").map { (name, Array($0)) }
        }
        return differences(of: forms, accepted: accepted)
    }

    /// The forms, by the names of their files, of which no instanceID is among the accepted.
    static func differences(
        of forms: [(name: String, xml: [UInt8])], accepted: Set<String>
    ) -> [RetestResult.Difference] {
        forms.compactMap { name, xml in
            guard let instance = SubmittedForm.instance(of: xml), !accepted.contains(instance)
            else { return nil }
            return RetestResult.Difference(
                key: name, text: "\(name) (instanceID \(instance)) was not accepted")
        }
    }
}
