/// The functions that conditions of filters call, for one connection to a database.
///
/// To be registered as deterministic; any of them gives NULL where its value is NULL.
///
/// | name | arguments | gives |
/// |---|---|---|
/// | `tape_contains` | value (text or blob), needle in lower case | 1 or 0 |
/// | `tape_regex` | pattern, value (text or blob) | 1 or 0 |
/// | `tape_glob` | pattern, value (text or blob), 1 if case matters | 1 or 0 |
/// | `tape_words` | match expression, value | 1 or 0; 0 for a blob |
/// | `tape_header` | head (blob), name in lower case | text, or NULL if there is none |
///
/// `tape_contains` and `tape_header` take their value also in four arguments: the value, or NULL, then the
/// bytes that have it, and its offset and size in them.
///
/// Keeps what it has made of patterns. Not for several threads at a time.
public final class FilterFunctions {
    private var matchers: [[UInt8]: RegexMatcher] = [:]
    private var globs: [[UInt8]: Glob] = [:]
    private var queries: [[UInt8]: WordQuery] = [:]
    /// The name that was looked for last.
    private var fieldName: [UInt8] = []

    /// Patterns of one kind that are kept at a time.
    private static let capacity = 32

    /// Functions that remember nothing yet.
    public init() {}

    /// What `tape_contains` gives; `needle` has its ASCII letters in lower case.
    public func contains(
        _ value: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        ByteSearch.contains(value, lowercasedNeedle: needle)
    }

    /// What `tape_regex` gives, with ``LinearRegex/pattern`` as UTF-8.
    ///
    /// - Throws: ``RegexError`` for a pattern that is none.
    public func regex(
        _ pattern: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(RegexError) -> Bool {
        let key = Array(pattern)
        if matchers[key] == nil {
            if matchers.count >= Self.capacity { matchers = [:] }
            let regex = try LinearRegex(String(decoding: key, as: UTF8.self))
            matchers[key] = RegexMatcher(regex)
        }
        return matchers[key]?.matches(value) ?? false
    }

    /// What `tape_glob` gives, with ``Glob/pattern`` as UTF-8.
    public func glob(
        _ pattern: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isCaseSensitive: Bool
    ) -> Bool {
        let key = Array(pattern)
        let glob = globs[key] ?? Glob(pattern: String(decoding: key, as: UTF8.self))
        if globs.count >= Self.capacity { globs = [:] }
        globs[key] = glob
        return glob.matches(value, ignoringCase: !isCaseSensitive)
    }

    /// What `tape_words` gives for a text, with ``WordQuery/matchExpression`` as UTF-8.
    ///
    /// Blobs have no words: for them it returns 0 without a call here.
    public func words(_ query: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        let key = Array(query)
        if queries[key] == nil {
            if queries.count >= Self.capacity { queries = [:] }
            queries[key] = WordQuery(matchExpression: String(decoding: key, as: UTF8.self))
        }
        return queries[key]?.matches(value) ?? false
    }

    /// What `tape_header` gives, with the name of the field in lower case as UTF-8.
    public func header(_ head: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer) -> String? {
        // Most heads do not have it anywhere.
        guard ByteSearch.contains(head, lowercasedNeedle: name) else { return nil }
        if !fieldName.elementsEqual(name) { fieldName = Array(name) }
        return HeadFields.value(of: fieldName, in: head)
    }
}
