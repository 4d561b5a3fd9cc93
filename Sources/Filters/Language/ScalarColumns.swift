extension Unicode.Scalar {
    /// Columns that it takes on a terminal: 0 where it combines with what precedes, 2 where it is wide.
    ///
    /// Source: Unicode, UAX #11, blocks of East Asian width W and F, and emoji.
    package var terminalColumns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        guard value >= 0x1100 else { return 1 }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1_6FE0...0x1_B2FF, 0x1_F200...0x1_FAFF, 0x2_0000...0x3_FFFD:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
