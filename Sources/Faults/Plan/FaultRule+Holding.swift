import Filters

extension FaultRule {
    /// The rules that hold what a filter finds: of an exchange whose request it can tell, the request
    /// and the response.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - name: The name of the first; that of a second is `NAME-answer`.
    ///   - duration: After how long a message goes on by itself, as rules write it; nil for the default.
    /// - Returns: One rule, or two.
    /// - Throws: ``FaultPlanError`` where it is no filter, or no duration.
    public static func holding(
        _ filter: String, named name: String, for duration: String? = nil
    ) throws(FaultPlanError) -> [FaultRule] {
        let line = "\(filter) => hold" + (duration.map { " \($0)" } ?? "")
        let first = try parse(line, named: name)
        guard [.requestHead, .requestBody].contains(first.phase) else { return [first] }
        return [first, try parse("\(line) sender=server", named: "\(name)-answer")]
    }
}
