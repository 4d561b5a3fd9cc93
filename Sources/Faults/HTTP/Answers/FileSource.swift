internal import Notation

/// Where files come from that rules serve.
public struct FileSource: Sendable {
    /// A file at a moment.
    public struct File: Hashable, Sendable {
        /// Its bytes.
        public var bytes: [UInt8]
        /// When it was changed last, in seconds since 1970.
        public var modifiedUnixSeconds: Int64

        /// A file with these bytes.
        public init(bytes: [UInt8], modifiedUnixSeconds: Int64) {
            self.bytes = bytes
            self.modifiedUnixSeconds = modifiedUnixSeconds
        }
    }

    /// What is at a path.
    public enum Content: Hashable, Sendable {
        /// A file.
        case file(File)
        /// A folder.
        case folder
    }

    /// A file that was looked for.
    struct Found {
        let file: File
        /// Its name, which says what is in it.
        let name: String
    }

    /// The maximum number of bytes of a file that is served.
    public static let maximumSize = 64 << 20

    private let read: @Sendable (String) -> Content?

    /// No files.
    public static let none = FileSource { _ in nil }

    /// Files that `read` has.
    ///
    /// - Parameter read: Returns what is at a path, as it is at the moment; nil where there is nothing,
    ///   or a file of more than ``maximumSize``. It may block its caller.
    public init(_ read: @escaping @Sendable (String) -> Content?) { self.read = read }

    /// The file that `base` is, or that the path of a request names in the folder `base`.
    ///
    /// - Returns: Nil where there is none, where it is not in the folder, or is too large.
    func file(_ base: String, for requestPath: String) -> Found? {
        switch read(base) {
        case .file(let file)?: return Found(file: file, name: base)
        case .folder?:
            guard let inside = Self.relative(requestPath) else { return nil }
            let path = inside.isEmpty ? base : "\(base)/\(inside)"
            switch read(path) {
            case .file(let file)?: return Found(file: file, name: path)
            case .folder?:
                guard case .file(let file)? = read(path + "/index.html") else { return nil }
                return Found(file: file, name: "index.html")
            case nil: return nil
            }
        case nil: return nil
        }
    }

    /// The path below a folder that a request names; nil where it would lead out of it.
    private static func relative(_ path: String) -> String? {
        let bytes = PercentEncoding.decode(path.utf8)
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = text.split(separator: "/")
        guard !parts.contains(where: { $0 == ".." || $0 == "." }) else { return nil }
        return parts.joined(separator: "/")
    }
}
