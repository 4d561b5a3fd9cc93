internal import Serving

/// The routes; `openapi.json` describes each.
enum InspectionRoute: String, CaseIterable {
    case traces, fields, filter, setup
    case values, makeListing, showListing, dropListing, rows, place
    case row, content, raw, curl, har, text, stored
    case objects, timeline, state, findings, clients, compare, report
    case showBaseline, writeBaseline
    case showReplay, startReplay, stopReplay
    case control

    /// The method; nil for any.
    var method: String? {
        switch self {
        case .makeListing, .startReplay: "POST"
        case .dropListing, .stopReplay: "DELETE"
        case .writeBaseline: "PUT"
        case .control: nil
        default: "GET"
        }
    }

    /// The path; `{trace}` is the number of a trace, `{listing}` that of a listing, `{row}` the name of a
    /// row, `{rest…}` all that follows.
    var path: String {
        switch self {
        case .traces: "/v1/traces"
        case .fields: "/v1/fields"
        case .filter: "/v1/filter"
        case .setup: "/v1/setup"
        case .values: "/v1/traces/{trace}/values"
        case .makeListing: "/v1/traces/{trace}/listings"
        case .showListing, .dropListing: "/v1/traces/{trace}/listings/{listing}"
        case .rows: "/v1/traces/{trace}/listings/{listing}/rows"
        case .place: "/v1/traces/{trace}/listings/{listing}/place"
        case .row: "/v1/traces/{trace}/rows/{row}"
        case .content: "/v1/traces/{trace}/rows/{row}/content"
        case .raw: "/v1/traces/{trace}/rows/{row}/raw"
        case .curl: "/v1/traces/{trace}/rows/{row}/curl"
        case .har: "/v1/traces/{trace}/rows/{row}/har"
        case .text: "/v1/traces/{trace}/rows/{row}/text"
        case .stored: "/v1/traces/{trace}/rows/{row}/sql"
        case .objects: "/v1/traces/{trace}/objects"
        case .timeline: "/v1/traces/{trace}/timeline"
        case .state: "/v1/traces/{trace}/state"
        case .findings: "/v1/traces/{trace}/findings"
        case .showBaseline, .writeBaseline: "/v1/traces/{trace}/baseline"
        case .clients: "/v1/traces/{trace}/clients"
        case .compare: "/v1/traces/{trace}/compare"
        case .report: "/v1/traces/{trace}/report"
        case .showReplay, .startReplay, .stopReplay: "/v1/traces/{trace}/replay"
        case .control: "/v1/traces/{trace}/control/{rest…}"
        }
    }

    /// What a path names.
    struct Names: Hashable {
        var trace = 0
        var listing = 0
        var row = ""
        var rest: [String] = []
    }

    private static let table = allCases.map { route in
        (route: route, parts: route.path.split(separator: "/").map(String.init))
    }

    /// The route of a request, and what its path names.
    ///
    /// - Throws: ``ServedProblem`` where there is none: 404, or 405 for another method.
    static func find(
        method: String, segments: [String]
    ) throws(ServedProblem) -> (route: InspectionRoute, names: Names) {
        var allowed: [String] = []
        for (route, parts) in table {
            guard let names = names(in: segments, as: parts) else { continue }
            if route.method == nil || route.method == method { return (route, names) }
            allowed.append(route.method ?? method)
        }
        let path = "/" + segments.joined(separator: "/")
        throw ServedProblem(nothingFor: method, path, allowed: allowed)
    }

    private static func names(in segments: [String], as parts: [String]) -> Names? {
        var names = Names()
        var left = segments[...]
        for part in parts {
            if part == "{rest…}" {
                guard !left.isEmpty else { return nil }
                names.rest = Array(left)
                return names
            }
            guard let segment = left.popFirst() else { return nil }
            switch part {
            case "{trace}":
                guard let number = Int(segment) else { return nil }
                names.trace = number
            case "{listing}":
                guard let number = Int(segment) else { return nil }
                names.listing = number
            case "{row}": names.row = segment
            default: guard part == segment else { return nil }
            }
        }
        return left.isEmpty ? names : nil
    }
}
