import Filters

/// An event of which nothing is known.
struct Nothing: FilterSubjectValues {
    var subject: FilterSubject { .exchange }

    func value(of field: Field, name: String?) -> FilterValue? { nil }
}
