/// The page of the inspector: plain files, as they are in Pages/Inspector.
public enum InspectorPage {
    /// What a file is.
    public enum MediaType: String, Hashable, Sendable {
        /// The page itself.
        case html = "text/html; charset=utf-8"
        /// A module.
        case script = "text/javascript; charset=utf-8"
        /// Style.
        case css = "text/css; charset=utf-8"
        /// A drawing.
        case drawing = "image/svg+xml"
    }

    /// A file of the page.
    public struct File: Hashable, Sendable {
        /// What it is.
        public let type: MediaType
        /// Its content.
        public let bytes: [UInt8]
    }

    /// A `Link` field that has the browser fetch all modules at once, rather than each when another asks for it.
    public static let preloading =
        files.filter { $0.value.type == .script }.keys.sorted()
        .map { "</app/\($0)>; rel=modulepreload" }.joined(separator: ", ")

    /// The file at a path of the inspector: `/` for the page, `/app/NAME` for what it loads.
    ///
    /// - Parameter path: The path, without query.
    /// - Returns: The file; nil where there is none.
    public static func file(at path: String) -> File? {
        if path == "/" { return files["page.html"] }
        guard path.hasPrefix("/app/") else { return nil }
        return files[String(path.dropFirst("/app/".count))]
    }
}
