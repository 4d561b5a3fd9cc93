internal import CSQLite
internal import Filters
internal import Storage

extension Connection {
    /// Registers the functions that conditions of filters call.
    func register(_ functions: FilterFunctions) throws(StorageFault) {
        for isSlice in [false, true] {
            try register("tape_contains", 2, functions, isSlice: isSlice) {
                context, values, functions in
                Self.answer(context, functions.contains(values.0, values.1))
            }
            try register("tape_header", 2, functions, isSlice: isSlice) {
                context, values, functions in
                guard let value = functions.header(values.0, values.1) else {
                    return sqlite3_result_null(context)
                }
                sqlite3_result_text(
                    context, value, Int32(value.utf8.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
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
        let isSlice: Bool
        let body: Body

        init(
            _ functions: FilterFunctions, count: Int, textOnly: Bool, isSlice: Bool,
            body: @escaping Body
        ) {
            self.functions = functions
            self.count = count
            self.textOnly = textOnly
            self.isSlice = isSlice
            self.body = body
        }

        /// Calls the function with its arguments; any NULL among them makes it NULL.
        func call(
            _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>
        ) {
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            var values = (nothing, nothing, nothing)
            for index in 0..<count {
                let skipped = isSlice && index > 0 ? Connection.sliceArguments : 0
                let argument = arguments[index + skipped]
                let value: UnsafeRawBufferPointer
                switch sqlite3_value_type(argument) {
                case SQLITE_NULL:
                    guard isSlice, index == 0, let slice = slice(arguments + 1) else {
                        return sqlite3_result_null(context)
                    }
                    value = slice
                case SQLITE_BLOB:
                    if textOnly { return sqlite3_result_int(context, 0) }
                    value = bytes(argument, at: sqlite3_value_blob(argument))
                default:
                    // Numbers are made text in place.
                    value = bytes(argument, at: UnsafeRawPointer(sqlite3_value_text(argument)))
                }
                switch index {
                case 0: values.0 = value
                case 1: values.1 = value
                default: values.2 = value
                }
            }
            body(context, values, functions)
        }

        private func bytes(
            _ value: OpaquePointer?, at start: UnsafeRawPointer?
        ) -> UnsafeRawBufferPointer {
            let size = start == nil ? 0 : Int(sqlite3_value_bytes(value))
            return UnsafeRawBufferPointer(start: start, count: size)
        }

        /// The part of bytes that an offset and a size choose, where they lie; nil where one is NULL.
        private func slice(
            _ arguments: UnsafeMutablePointer<OpaquePointer?>
        ) -> UnsafeRawBufferPointer? {
            guard (0..<3).allSatisfy({ sqlite3_value_type(arguments[$0]) != SQLITE_NULL })
            else { return nil }
            let all = bytes(arguments[0], at: sqlite3_value_blob(arguments[0]))
            let offset = sqlite3_value_int64(arguments[1])
            let size = sqlite3_value_int64(arguments[2])
            // What others have written there may be anything.
            guard offset >= 0, offset < all.count, size > 0 else {
                return UnsafeRawBufferPointer(start: nil, count: 0)
            }
            let start = Int(offset)
            return UnsafeRawBufferPointer(
                rebasing: all[start..<start + Int(min(size, Int64(all.count - start)))])
        }
    }

    /// Arguments by which a slice has more than the value itself.
    private static let sliceArguments = 3

    private static func answer(_ context: OpaquePointer?, _ value: Bool) {
        sqlite3_result_int(context, value ? 1 : 0)
    }

    /// Registers one function of at most three values, the first of which may be a slice.
    private func register(
        _ name: String, _ count: Int, _ functions: FilterFunctions, textOnly: Bool = false,
        isSlice: Bool = false, body: @escaping Body
    ) throws(StorageFault) {
        let registration = Registration(
            functions, count: count, textOnly: textOnly, isSlice: isSlice, body: body)
        let arguments = count + (isSlice ? Self.sliceArguments : 0)
        let code = sqlite3_create_function_v2(
            handle, name, Int32(arguments), SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(registration).toOpaque(),
            { context, _, arguments in
                guard let arguments, let data = sqlite3_user_data(context) else { return }
                Unmanaged<Registration>.fromOpaque(data).takeUnretainedValue().call(
                    context, arguments)
            }, nil, nil,
            { data in
                guard let data else { return }
                Unmanaged<Registration>.fromOpaque(data).release()
            })
        guard code == SQLITE_OK else { throw fault(code) }
    }
}
