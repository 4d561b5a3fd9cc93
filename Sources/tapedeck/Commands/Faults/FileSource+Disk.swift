import Faults
import Platform

extension FileSource {
    /// The files of this machine, which rules serve.
    static let ofThisMachine = FileSource { path in
        switch LocalFile.read(path, atMost: maximumSize) {
        case .file(let bytes, let modified)?:
            .file(File(bytes: bytes, modifiedUnixSeconds: modified))
        case .folder?: .folder
        case nil: nil
        }
    }
}
