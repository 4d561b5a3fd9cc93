/// What stands in a file or folder that is to become a trace.
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// A recording as text: a folder with `recording.json`.
    case textRecording

    /// Tells by what is at `path`, not by its name.
    ///
    /// - Throws: ``InterchangeError`` where nothing is there, or nothing that is known.
    public init(of path: String) throws(InterchangeError) {
        guard Folder.isThere(path) else {
            throw InterchangeError(
                .cannotOpen, "\(path) is not there; check the name")
        }
        guard Folder.isFolder(path) else {
            throw InterchangeError(
                .malformed, "\(path) is not a recording: name a folder with \(RecordingHead.name)")
        }
        self = .textRecording
    }
}
