internal import CSQLite
internal import Filters
internal import Storage

extension Connection {
    /// Registers the functions that conditions of filters call.
    func register(_ functions: FilterFunctions) throws(StorageFault) {
        try register("tape_contains", 2, functions) { context, values, functions in
            Self.answer(context, functions.contains(values.0, values.1))
        }
        try register("tape_regex", 2, functions) { context, values, functions in
            do throws(RegexError) {
                Self.answer(context, try functions.regex(values.0, values.1))
            } catch {
                sqlite3_result_error(context, error.description, -1)
            }
        }
        try register("tape_glob", 3, functions) { context, values, functions in
            Self.answer(
                context,
                functions.glob(values.0, values.1, isCaseSensitive: values.2.first == 0x31))
        }
        try register("tape_words", 2, functions, textOnly: true) { context, values, functions in
            Self.answer(context, functions.words(values.0, values.1))
        }
        try register("tape_header", 2, functions) { context, values, functions in
            guard let value = functions.header(values.0, values.1) else {
                return sqlite3_result_null(context)
            }
            sqlite3_result_text(
                context, value, Int32(value.utf8.count),
                unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }

    /// The arguments of a call, which are few: an array would be allocated for each.
    private typealias Values = (
        UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
    )
    private typealias Body = (OpaquePointer?, Values, FilterFunctions) -> Void

    /// The context that SQLite passes to one function.
    private final class Registration {
        let functions: FilterFunctions
        let count: Int
        let textOnly: Bool
        let body: Body

        init(_ functions: FilterFunctions, count: Int, textOnly: Bool, body: @escaping Body) {
            self.functions = functions
            self.count = count
            self.textOnly = textOnly
            self.body = body
        }
    }

    private static func answer(_ context: OpaquePointer?, _ value: Bool) {
        sqlite3_result_int(context, value ? 1 : 0)
    }

    /// Registers one function of at most three arguments; any NULL among its arguments makes it NULL.
    private func register(
        _ name: String, _ count: Int, _ functions: FilterFunctions, textOnly: Bool = false,
        body: @escaping Body
    ) throws(StorageFault) {
        let registration = Registration(functions, count: count, textOnly: textOnly, body: body)
        let code = sqlite3_create_function_v2(
            handle, name, Int32(count), SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(registration).toOpaque(),
            { context, count, arguments in
                guard let arguments, let data = sqlite3_user_data(context) else { return }
                let own = Unmanaged<Registration>.fromOpaque(data).takeUnretainedValue()
                guard Int(count) == own.count else { return }
                let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
                var values = (nothing, nothing, nothing)
                for index in 0..<own.count {
                    let value = arguments[index]
                    let type = sqlite3_value_type(value)
                    if type == SQLITE_NULL { return sqlite3_result_null(context) }
                    if own.textOnly, type == SQLITE_BLOB {
                        return sqlite3_result_int(context, 0)
                    }
                    // Numbers are made text in place; a blob keeps its bytes.
                    let start =
                        type == SQLITE_BLOB
                        ? sqlite3_value_blob(value)
                        : UnsafeRawPointer(sqlite3_value_text(value))
                    let size = start == nil ? 0 : Int(sqlite3_value_bytes(value))
                    let bytes = UnsafeRawBufferPointer(start: start, count: size)
                    switch index {
                    case 0: values.0 = bytes
                    case 1: values.1 = bytes
                    default: values.2 = bytes
                    }
                }
                own.body(context, values, own.functions)
            }, nil, nil,
            { data in
                guard let data else { return }
                Unmanaged<Registration>.fromOpaque(data).release()
            })
        guard code == SQLITE_OK else { throw fault(code) }
    }
}
