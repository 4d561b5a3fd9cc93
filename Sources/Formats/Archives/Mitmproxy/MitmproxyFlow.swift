internal import Wire

/// One flow of a file that mitmproxy wrote.
package enum MitmproxyFlow: Hashable {
    /// An HTTP request with its outcome.
    case exchange(ArchivedExchange)
    /// A flow of another kind, by mitmproxy's name of it, such as `tcp`, or `connect`.
    case other(String)

    /// The format that is read, which mitmproxy 11 and 12 write.
    static let format: Int64 = 21
    /// The maximum number of WebSocket messages of one flow; those after them are left out, which
    /// its oddities report.
    static let maxMessages = 1_000_000

    /// The error of a flow.
    package enum Refusal: Error, Hashable {
        /// It is of another format, which has this name; of a later one than is read if `isLater`.
        case format(String, isLater: Bool)
        /// Something in it cannot be.
        case mistake(TNetstring.Mistake)
    }

    /// The flow that `bytes` are, all of them.
    package init(parsing bytes: [UInt8]) throws(Refusal) {
        let value: TNetstring
        let other: (name: String, isLater: Bool)?
        do throws(TNetstring.Mistake) {
            var rest = bytes[...]
            value = try TNetstring(parsing: &rest)
            guard rest.isEmpty else {
                throw TNetstring.Mistake(
                    offset: rest.startIndex,
                    detail: "the flow has trailing "
                        + "bytes")
            }
            other = try Self.otherFormat(value)
        } catch {
            throw .mistake(error)
        }
        if let other { throw .format(other.name, isLater: other.isLater) }
        do throws(TNetstring.Mistake) {
            self = try Self.read(value)
        } catch {
            throw .mistake(error)
        }
    }

    private static func read(_ value: TNetstring) throws(TNetstring.Mistake) -> MitmproxyFlow {
        let type = try value.value("type")?.string ?? ""
        guard type == "http" else { return .other(type) }
        guard let request = try value.value("request") else {
            throw value.mistake("an HTTP flow has a request")
        }
        let method = try request.value("method")?.string ?? ""
        guard method != "CONNECT" else { return .other("connect") }
        return .exchange(try MitmproxyExchange(value, request, method: method).exchange)
    }

    // MARK: The format

    /// What a flow of another format is called; nil for the supported one.
    private static func otherFormat(
        _ value: TNetstring
    ) throws(TNetstring.Mistake) -> (name: String, isLater: Bool)? {
        guard let version = try value.value("version") else {
            throw value.mistake("this is not a flow of mitmproxy: it has no version")
        }
        if let number = version.integer {
            return number == format ? nil : (name(number), number > format)
        }
        // Until version 3 it was the version of the program.
        let parts = try version.values(atMost: 3).map { $0.integer.map(String.init) ?? "?" }
        return ("mitmproxy \(parts.joined(separator: "."))", false)
    }

    /// A format by its number, and the version of mitmproxy that wrote it.
    private static func name(_ number: Int64) -> String {
        let program: String? =
            switch number {
            case 4...5: "mitmproxy 3"
            case 6...11: "mitmproxy 4 to 6"
            case 12...14: "mitmproxy 7"
            case 15...17: "mitmproxy 8"
            case 18...19: "mitmproxy 9"
            case 20: "mitmproxy 10"
            case (format + 1)...: "a later mitmproxy"
            default: nil
            }
        return (program.map { "\($0), " } ?? "") + "flow format \(number)"
    }
}
