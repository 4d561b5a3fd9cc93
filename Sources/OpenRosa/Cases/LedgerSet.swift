public import Notation
import Wire

/// The balances of ledgers, such as stocks of products at a place.
///
/// Source: OpenRosa/Specification.md#ledgers.
public struct LedgerSet: Hashable, Sendable {
    /// What a balance is of.
    public struct Key: Hashable, Sendable {
        /// The case that has the ledger.
        public var entity: ExactText
        /// Part of the ledger, such as `stock`.
        public var section: ExactText
        /// What is counted, such as a product.
        public var entry: ExactText

        /// The key of an entry.
        public init(entity: String, section: String, entry: String) {
            self.entity = ExactText(entity)
            self.section = ExactText(section)
            self.entry = ExactText(entry)
        }
    }

    /// Balances by what they are of; what is not there counts as 0.
    public private(set) var balances: [Key: Int64] = [:]

    /// No ledgers.
    public init() {}

    /// The balance of an entry, 0 where there is none.
    public subscript(entity: String, section: String, entry: String) -> Int64 {
        balances[Key(entity: entity, section: section, entry: entry)] ?? 0
    }

    /// Number of entities that have a balance.
    public var entities: Int { Set(balances.keys.map(\.entity)).count }

    /// Sets a balance.
    public mutating func set(_ quantity: Int32, for key: Key) { balances[key] = Int64(quantity) }

    /// Moves a quantity from one entity to another; nil denotes outside of all ledgers.
    public mutating func transfer(
        _ quantity: Int32, section: String, entry: String, from source: String?, to target: String?
    ) {
        if let source {
            let key = Key(entity: source, section: section, entry: entry)
            balances[key, default: 0] -= Int64(quantity)
        }
        if let target {
            let key = Key(entity: target, section: section, entry: entry)
            balances[key, default: 0] += Int64(quantity)
        }
    }

    /// Reads a quantity as commcare-core does: an integer of 32 bits in decimal digits.
    public static func quantity(_ text: String) -> Int32? { Int32(text) }
}
