internal import CSQLite

/// SQLite's tokenizer `unicode61` for words of ASCII, in half of its instructions; other words,
/// and tables that declare options of it, are passed on to SQLite's own.
///
/// Words are exactly the same. Source: SQLite, "FTS5", 4.3.1 "Unicode61 Tokenizer" and 7.1 "Custom
/// Tokenizers".
private final class WordTokenizer {
    /// SQLite's own.
    private final class Original {
        let functions: fts5_tokenizer
        let context: UnsafeMutableRawPointer?

        init(_ functions: fts5_tokenizer, _ context: UnsafeMutableRawPointer?) {
            self.functions = functions
            self.context = context
        }
    }

    private typealias TakeToken =
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
        ) -> Int32

    /// Who takes the tokens of a part of a text, and where it begins.
    private struct Part {
        let context: UnsafeMutableRawPointer?
        let take: TakeToken
        let start: Int32
    }

    private let original: Original
    /// What SQLite's own made for the table.
    private let handle: OpaquePointer?
    /// Nil where the table declares options.
    private let splitter: WordSplitter?

    private init(_ original: Original, _ handle: OpaquePointer?, isPlain: Bool) {
        self.original = original
        self.handle = handle
        splitter = isPlain ? WordSplitter() : nil
    }

    deinit {
        splitter?.deallocate()
        original.functions.xDelete(handle)
    }

    private func tokenize(
        _ context: UnsafeMutableRawPointer?, _ flags: Int32, _ text: UnsafePointer<CChar>?,
        _ count: Int32, _ take: @escaping TakeToken
    ) -> Int32 {
        guard let splitter, let text else {
            return original.functions.xTokenize(handle, context, flags, text, count, take)
        }
        return splitter.split(UnsafeRawBufferPointer(start: text, count: Int(count))) { piece in
            switch piece {
            case .word(let word, let range):
                return take(
                    context, 0, word.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(truncatingIfNeeded: word.count),
                    Int32(truncatingIfNeeded: range.lowerBound),
                    Int32(truncatingIfNeeded: range.upperBound))
            case .other(let range):
                var part = Part(context: context, take: take, start: Int32(range.lowerBound))
                return original.functions.xTokenize(
                    handle, &part, flags, text + range.lowerBound, Int32(range.count)
                ) { part, flags, token, count, start, end in
                    guard let part = part?.assumingMemoryBound(to: Part.self).pointee
                    else { return SQLITE_ERROR }
                    return part.take(
                        part.context, flags, token, count, part.start + start, part.start + end)
                }
            }
        }
    }

    /// Has FTS5 use it for tables of this connection that are created or used from now on.
    ///
    /// - Returns: SQLite's code.
    static func register(in api: UnsafeMutablePointer<fts5_api>) -> Int32 {
        var functions = fts5_tokenizer()
        var context: UnsafeMutableRawPointer?
        let code = api.pointee.xFindTokenizer(api, name, &context, &functions)
        guard code == SQLITE_OK else { return code }
        var own = fts5_tokenizer(
            xCreate: { original, options, count, created in
                guard let original, let created else { return SQLITE_ERROR }
                let known = Unmanaged<Original>.fromOpaque(original).takeUnretainedValue()
                var handle: OpaquePointer?
                let code = known.functions.xCreate(known.context, options, count, &handle)
                guard code == SQLITE_OK else { return code }
                let own = WordTokenizer(known, handle, isPlain: count == 0)
                created.pointee = OpaquePointer(Unmanaged.passRetained(own).toOpaque())
                return SQLITE_OK
            },
            xDelete: { own in
                guard let own else { return }
                Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(own)).release()
            },
            xTokenize: { own, context, flags, text, count, take in
                guard let own, let take else { return SQLITE_ERROR }
                return Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(own))
                    .takeUnretainedValue().tokenize(context, flags, text, count, take)
            })
        let original = Unmanaged.passRetained(Original(functions, context)).toOpaque()
        return api.pointee.xCreateTokenizer(api, name, original, &own) { original in
            guard let original else { return }
            Unmanaged<Original>.fromOpaque(original).release()
        }
    }

    private static let name = "unicode61"
}

extension Connection {
    /// Has words for full-text search found by this program where they are of ASCII; to be called
    /// before a table with an index of words is created or used.
    ///
    /// - Throws: ``StorageFault`` where SQLite has no FTS5.
    package func splitWords() throws(StorageFault) {
        var api: UnsafeMutablePointer<fts5_api>?
        let code = tapedeck_fts5_api(handle, &api)
        guard code == SQLITE_OK, let api else { throw fault(code) }
        let registered = WordTokenizer.register(in: api)
        guard registered == SQLITE_OK else { throw fault(registered) }
    }
}
