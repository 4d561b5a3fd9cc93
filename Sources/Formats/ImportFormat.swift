internal import Capturing
public import Trace

/// What stands in a file or folder that is to become a trace.
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// A recording as text: a folder with `recording.json`.
    case textRecording
    /// Packets: pcap or pcapng, or a file that only tools for packets know.
    case capture
    /// An HTTP archive.
    case har
    /// Flows of mitmproxy.
    case mitmproxy

    /// Bytes at the start of a file that are looked at.
    private static let enough = 4_096

    /// Tells by what is at `path`, not by its name.
    ///
    /// A file that looks like none of them is taken for an HTTP archive, whose reader says what it is.
    ///
    /// - Throws: ``FileError`` where nothing is there, or it cannot be read.
    public init(of path: String) throws(FileError) {
        guard Folder.isThere(path) else {
            throw FileError(.cannotOpen, "\(path) is not there; check the name")
        }
        guard !Folder.isFolder(path) else {
            self = .textRecording
            return
        }
        let source = try ArchiveSource(path: path)
        let start = try source.bytes(0..<min(Self.enough, source.count))
        switch CaptureFormat.recognize(start) {
        case .pcap, .pcapng, .compressed: self = .capture
        case .other where start.first != UInt8(ascii: "{") && !start.starts(with: "SQLite".utf8):
            self = .capture
        case .other, nil: self = MitmproxyReader.looksLike(start) ? .mitmproxy : .har
        }
    }
}
