/// A value of a field of something that a filter judges.
public enum FilterValue: Hashable, Sendable {
    /// A whole number: a code, nanoseconds, bytes, or 1 for true and 0 for false.
    case integer(Int64)
    /// Text.
    case text(String)
    /// Text as well-formed UTF-8.
    case utf8([UInt8])
    /// Bytes that are not text: they equal nothing and have no words.
    case bytes([UInt8])
    /// Several values; one that passes is enough, and an empty list is as good as none.
    case several([FilterValue])
}

/// Something that a filter can judge: an exchange, a command or a message.
public protocol FilterSubjectValues {
    /// What it is.
    var subject: FilterSubject { get }

    /// The value of `field`, nil where it has none.
    ///
    /// Fields that the subject does not have, and `kind`, are never requested. The values have to
    /// agree with the rows of a trace: `sender` is the text `client` or `server`, empty bodies and
    /// payloads are not values, `text` is what the full-text index is built from.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - name: Name of the header in lower case, where `field` is a family; else nil.
    /// - Returns: Its value.
    func value(of field: Field, name: String?) -> FilterValue?
}
