public import Filters
internal import Platform

extension ClockOffsets {
    /// The wall clock of this machine, from 1970 to 2100.
    ///
    /// The zone is asked for its offset once a week; where that differs from the week before, the
    /// second is looked for. Source: POSIX, `localtime`; `tm_gmtoff` of glibc and BSD.
    public static let ofThisMachine: ClockOffsets = {
        var pieces = [Piece(from: 0, ahead: ahead(at: 0))]
        var last: Int64 = 0
        for second in stride(from: week, through: 130 * year, by: Int64.Stride(week)) {
            let next = ahead(at: second)
            if next != pieces[pieces.count - 1].ahead {
                var (low, high) = (last, second)
                while high - low > 1 {
                    let middle = (low + high) / 2
                    if ahead(at: middle) == next { high = middle } else { low = middle }
                }
                pieces.append(Piece(from: high, ahead: next))
            }
            last = second
        }
        return ClockOffsets(pieces)
    }()

    private static let week: Int64 = 7 * 86_400
    private static let year: Int64 = 31_556_952

    private static func ahead(at second: Int64) -> Int64 {
        var time = time_t(second)
        var parts = tm()
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }
}
