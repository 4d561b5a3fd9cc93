/// A QR code of a short text, for cameras of phones (ISO/IEC 18004): versions 1 to 5, error correction
/// level L, byte mode.
struct QRCode {
    /// Number of modules on each side.
    let size: Int
    private var modules: [Bool]
    private var isFixed: [Bool]

    /// Codewords of data and of error correction by version, from 1; all of them are one block.
    private static let capacities = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26)]

    /// The code of `text`; nil where it is longer than 106 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let index = Self.capacities.firstIndex(where: { $0.0 >= bytes.count + 2 }) else {
            return nil
        }
        let (count, correction) = Self.capacities[index]
        size = 21 + 4 * index
        modules = Array(repeating: false, count: size * size)
        isFixed = modules
        drawPatterns(version: index + 1)
        let data = Self.data(bytes, count: count)
        drawBits(data + Self.remainder(of: data, count: correction))
        chooseMask()
    }

    /// Whether a module is dark; those around the code are light.
    subscript(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }

    /// The code in lines of half blocks with the light border that readers need, dark as spaces: for
    /// light text on a dark ground.
    var lines: [String] {
        stride(from: -2, to: size + 2, by: 2).map { y in
            (-2..<size + 2).map { x in
                switch (self[x, y], self[x, y + 1]) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
        }
    }

    // MARK: Data

    /// Mode, length and bytes, filled up with the two bytes that stand for nothing.
    private static func data(_ bytes: [UInt8], count: Int) -> [UInt8] {
        var data: [UInt8] = []
        // Four bits of mode come first, so that every byte is cut in two halves.
        var rest: UInt8 = 0b0100
        for byte in [UInt8(bytes.count)] + bytes {
            data.append(rest << 4 | byte >> 4)
            rest = byte & 15
        }
        data.append(rest << 4)
        var isFirst = true
        while data.count < count {
            data.append(isFirst ? 0xEC : 0x11)
            isFirst.toggle()
        }
        return data
    }

    /// Reed-Solomon codewords over the field with 256 elements of 0x11D.
    private static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
        var divisor = [UInt8](repeating: 0, count: count)
        divisor[count - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<count {
            for place in 0..<count {
                divisor[place] = product(divisor[place], root)
                if place + 1 < count { divisor[place] ^= divisor[place + 1] }
            }
            root = product(root, 2)
        }
        var result = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for place in 0..<count { result[place] ^= product(divisor[place], factor) }
        }
        return result
    }

    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var value = 0
        for bit in (0..<8).reversed() {
            value = value << 1 ^ (value >> 7) * 0x11D
            value ^= Int(b >> UInt8(bit) & 1) * Int(a)
        }
        return UInt8(value)
    }

    // MARK: Patterns

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        modules[y * size + x] = isDark
        isFixed[y * size + x] = true
    }

    private mutating func drawPatterns(version: Int) {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let distance = max(abs(dx), abs(dy))
                    set(x + dx, y + dy, distance != 2 && distance != 4)
                }
            }
        }
        if version > 1 {
            let middle = size - 7
            for dy in -2...2 {
                for dx in -2...2 { set(middle + dx, middle + dy, max(abs(dx), abs(dy)) != 1) }
            }
        }
        drawFormat(mask: 0)
    }

    /// The level of correction and the mask, with bits that correct them, twice.
    private mutating func drawFormat(mask: Int) {
        let data = 0b01 << 3 | mask
        var rest = data
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (data << 10 | rest) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { set(8, place, bit(place)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for place in 9..<15 { set(14 - place, 8, bit(place)) }
        for place in 0..<8 { set(size - 1 - place, 8, bit(place)) }
        for place in 8..<15 { set(8, size - 15 + place, bit(place)) }
        set(8, size - 8, true)
    }

    /// Fills two columns at a time, from the right, up and down in turn.
    private mutating func drawBits(_ bytes: [UInt8]) {
        var place = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                for column in 0..<2 {
                    let x = right - column
                    let isUpward = (right + 1) & 2 == 0
                    let y = isUpward ? size - 1 - step : step
                    guard !isFixed[y * size + x], place < bytes.count * 8 else { continue }
                    modules[y * size + x] = bytes[place / 8] >> UInt8(7 - place % 8) & 1 == 1
                    place += 1
                }
            }
            right -= 2
        }
    }

    // MARK: Masks

    private static func isInverted(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFixed[y * size + x] {
                if Self.isInverted(mask, x, y) { modules[y * size + x].toggle() }
            }
        }
    }

    /// Takes the mask whose picture is the least like one of the patterns that readers look for.
    private mutating func chooseMask() {
        var best: (mask: Int, penalty: Int)?
        for mask in 0..<8 {
            apply(mask: mask)
            drawFormat(mask: mask)
            let penalty = penalty
            if best.map({ penalty < $0.penalty }) ?? true { best = (mask, penalty) }
            apply(mask: mask)
        }
        let mask = best?.mask ?? 0
        apply(mask: mask)
        drawFormat(mask: mask)
    }

    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += Self.penalty(of: (0..<size).map { self[$0, line] })
            penalty += Self.penalty(of: (0..<size).map { self[line, $0] })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let dark = self[x, y]
                if dark == self[x + 1, y], dark == self[x, y + 1], dark == self[x + 1, y + 1] {
                    penalty += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    /// Runs of five and more, and what looks like a corner.
    private static func penalty(of line: [Bool]) -> Int {
        var penalty = 0
        var start = 0
        for end in 1...line.count where end == line.count || line[end] != line[start] {
            if end - start >= 5 { penalty += end - start - 2 }
            start = end
        }
        let corner = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        for pattern in [corner + light, light + corner] {
            for place in 0...max(0, line.count - pattern.count)
            where line[place...].starts(with: pattern) {
                penalty += 40
            }
        }
        return penalty
    }
}
