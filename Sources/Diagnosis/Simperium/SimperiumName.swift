import Wire

/// The key of an object or the identifier of a change, for many look-ups.
///
/// Equals another only if both have the same code points, as ``ExactText``; hashed once.
struct SimperiumName: Hashable, Sendable, CustomStringConvertible {
    let string: String
    private let print: Int

    init(_ string: String) {
        self.string = string
        var hasher = Hasher()
        hasher.combine(ExactText(string))
        print = hasher.finalize()
    }

    static func == (a: Self, b: Self) -> Bool {
        a.print == b.print && isSame(a.string, b.string)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(print) }

    var description: String { string }

    /// Whether two texts have the same code points.
    static func isSame(_ a: String, _ b: String) -> Bool {
        let isSame = a.utf8.withContiguousStorageIfAvailable { one in
            b.utf8.withContiguousStorageIfAvailable { two in
                one.count == two.count && one.elementsEqual(two)
            }
        }
        return (isSame ?? nil) ?? (ExactText(a) == ExactText(b))
    }
}
