/// Gives each element name of a document a small number, by the identity of libxml2's strings.
///
/// libxml2 keeps one copy of every name, so comparing addresses is enough; a document has few
/// names and very many elements.
struct XMLNameTable {
    private struct Key: Hashable {
        var local: UInt
        var prefix: UInt
        var namespace: UInt
    }
    private struct Slot {
        var key: Key
        var symbol: Int
    }

    /// The maximum number of names; a document with more is unusual, and its memory bounded.
    static let capacity = 4096
    private static let slotCount = 512

    /// The names, by number.
    private(set) var names: [XMLName] = []
    private var index: [Key: Int] = [:]
    private var namespaces: [UInt: String] = [:]
    private var slots: [Slot] = Array(
        repeating: Slot(key: Key(local: 0, prefix: 0, namespace: 0), symbol: -1),
        count: Self.slotCount)

    /// The number of a name, or -1 where the table is full.
    mutating func symbol(
        local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?,
        namespace: UnsafePointer<UInt8>?
    ) -> Int {
        let key = Key(
            local: UInt(bitPattern: local), prefix: UInt(bitPattern: prefix),
            namespace: UInt(bitPattern: namespace))
        let mixed = (key.local &+ key.prefix &* 31 &+ key.namespace &* 131) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: mixed >> 55)
        if slots[place].key == key { return slots[place].symbol }
        guard let known = index[key] ?? add(key, local, prefix, namespace) else { return -1 }
        slots[place] = Slot(key: key, symbol: known)
        return known
    }

    private mutating func add(
        _ key: Key, _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?,
        _ namespace: UnsafePointer<UInt8>?
    ) -> Int? {
        guard names.count < Self.capacity else { return nil }
        names.append(name(local, prefix, namespace))
        index[key] = names.count - 1
        return names.count - 1
    }

    /// The name that three of libxml2's strings make.
    ///
    /// A namespace may be long and apply to every tag of a document: there is one copy of each.
    mutating func name(
        _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?,
        _ namespace: UnsafePointer<UInt8>?
    ) -> XMLName {
        XMLName(
            String(cString: local), namespace: namespace.map { shared($0) },
            prefix: prefix.map { String(cString: $0) })
    }

    private mutating func shared(_ namespace: UnsafePointer<UInt8>) -> String {
        let key = UInt(bitPattern: namespace)
        if let known = namespaces[key] { return known }
        if namespaces.count >= Self.capacity { namespaces.removeAll() }
        let text = String(cString: namespace)
        namespaces[key] = text
        return text
    }
}
