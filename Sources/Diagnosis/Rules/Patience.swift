/// How long peers may take to do what a rule demands, where nothing shows before that they will not.
struct Patience: Sendable {
    /// Nanoseconds for all duties; nil for the deadline of each rule.
    var nanoseconds: Int64?

    /// The deadline of a duty in nanoseconds; 0 where it has none.
    func deadline(of rule: Rule) -> Int64 { nanoseconds ?? rule.deadlineNanoseconds ?? 0 }
}
