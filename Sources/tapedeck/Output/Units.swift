import ArgumentParser

/// A number of bytes, written with a unit.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int64

    /// `512`, `64KiB`, `10MB`, `2GiB`.
    init?(argument: String) {
        let digits = argument.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), number > 0 else { return nil }
        let unit: Double
        switch argument.dropFirst(digits.count).lowercased() {
        case "", "b": unit = 1
        case "k", "kib": unit = 1024
        case "kb": unit = 1000
        case "m", "mib": unit = 1_048_576
        case "mb": unit = 1_000_000
        case "g", "gib": unit = 1_073_741_824
        case "gb": unit = 1_000_000_000
        default: return nil
        }
        guard number * unit < 9e18 else { return nil }
        bytes = Int64(number * unit)
    }

    /// `bytes` as text with a unit.
    static func text(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        for unit in ["B", "KB", "MB", "GB", "TB"] {
            if value < 999.5 {
                guard value < 10, unit != "B" else { return "\(Int(value.rounded())) \(unit)" }
                let tenths = Int((value * 10).rounded())
                return "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1000
        }
        return "\(Int(value.rounded())) PB"
    }
}

/// A length of time, written with a unit.
struct TimeSpan: ExpressibleByArgument {
    let nanoseconds: Int64

    /// `500ms`, `30s`, `10m`, `2h`, `7d`.
    init?(argument: String) {
        guard let time = Self.time(argument), time > 0 else { return nil }
        nanoseconds = time
    }

    /// Nanoseconds, which may be none; nil for what is no span of time.
    static func time(_ argument: String) -> Int64? {
        let digits = argument.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), number >= 0 else { return nil }
        let unit: Double
        switch argument.dropFirst(digits.count).lowercased() {
        case "ms": unit = 1e6
        case "", "s": unit = 1e9
        case "m", "min": unit = 60e9
        case "h": unit = 3600e9
        case "d": unit = 86_400e9
        default: return nil
        }
        guard number * unit < 9e18 else { return nil }
        return Int64(number * unit)
    }

    /// `nanoseconds` as text with a unit: `350 µs`, `40 ms`, `4.1 s`, `12 s`.
    static func text(_ nanoseconds: Int64) -> String {
        switch nanoseconds {
        case ..<1_000_000: return "\(nanoseconds / 1000) µs"
        case ..<1_000_000_000: return "\(nanoseconds / 1_000_000) ms"
        case ..<10_000_000_000:
            let tenths = nanoseconds / 100_000_000
            let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
            return "\(tenths / 10)\(fraction) s"
        default: return "\(nanoseconds / 1_000_000_000) s"
        }
    }

    /// A moment as seconds since the session started, with milliseconds.
    static func clock(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let fraction = abs(milliseconds % 1000)
        let zeros = fraction >= 100 ? "." : fraction >= 10 ? ".0" : ".00"
        return String(milliseconds / 1000) + zeros + String(fraction)
    }
}
