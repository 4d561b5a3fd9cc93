/// The response codes of CommCare and OpenRosa.
///
/// Source: OpenRosa/Specification.md#response-codes, and for what it leaves open the policy of
/// OpenRosa/Specification.md#client-policy, which is stricter than the Android client. The same as
/// a page: `CodeTable.md`.
public enum CodeTable {
    /// What to do about a code.
    ///
    /// - Parameters:
    ///   - status: 0 where there was no response.
    ///   - api: The API of the request, if known.
    ///   - nature: `nature` of the response's message, if it had one.
    /// - Returns: The most specific row, nil where there is none.
    public static func advice(status: Int, api: OpenRosaAPI?, nature: String? = nil) -> CodeAdvice?
    {
        let candidates = rows.filter {
            $0.status == status && ($0.group == nil || $0.group == api?.group)
                && ($0.nature == nil || $0.nature == nature)
        }
        func rank(_ row: CodeAdvice) -> Int {
            (row.group == nil ? 0 : 2) + (row.nature == nil ? 0 : 1)
        }
        return candidates.max { rank($0) < rank($1) }
    }

    /// All rows, by code; rows about one kind of request after those about all.
    public static let rows: [CodeAdvice] =
        (general + submissions + syncs + others)
        .enumerated().sorted { a, b in
            func key(_ row: (offset: Int, element: CodeAdvice)) -> (Int, Int, Int) {
                let group = row.element.group.flatMap(OpenRosaAPI.Group.allCases.firstIndex)
                return (row.element.status, group.map { $0 + 1 } ?? 0, row.offset)
            }
            return key(a) < key(b)
        }
        .map(\.element)
}
