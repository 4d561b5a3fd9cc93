import Dissection
import Notation
import OpenRosa
import Wire

/// The parts of a submitted form that rules across messages need.
struct CommCareForm: Sendable {
    /// Largest form that is read, in bytes.
    static let maxBytes = 8 << 20
    /// The maximum number of case blocks that are kept.
    static let maxBlocks = 10_000

    /// `instanceID`.
    var instanceID = ""
    /// `deprecatedID`, which ODK writes into an edit.
    var deprecatedID: String?
    /// `timeEnd` in seconds since 1970, if it is a valid time.
    var timeEnd: Int64?
    /// `timeStart` or `timeEnd`, as sent.
    var hasTimes = false
    /// Whether it is a device's log.
    var isDeviceReport = false
    /// The form's bytes.
    var digest = CommCareDigest()
    /// The same without its instanceID.
    var content = CommCareDigest()
    /// Case blocks without the parts that no rule needs.
    var blocks: [CaseBlock] = []
    /// Names of the files that were sent with it.
    var files: Set<String> = []
    /// Whether ODK's mark announces more requests with the form.
    var isIncomplete = false

    /// Reads the form of a request; nil where there is none, or not all of it can be read.
    init?(_ side: SideEvidence) {
        var range: Range<Int64>?
        for part in side.parts {
            if part.name == SubmissionPart.incompleteName {
                isIncomplete = true
            } else if part.name == SubmissionPart.formName {
                if range == nil { range = part.offset..<part.offset + part.size }
            } else if part.filename != nil, files.count < 1_000 {
                files.insert(part.name ?? "")
            }
        }
        if range == nil, !side.parts.isEmpty { return nil }
        let wanted = range ?? 0..<side.body.size
        guard wanted.count > 0, wanted.count <= Self.maxBytes,
            let bytes = Self.bytes(wanted, of: side)
        else { return nil }
        let (events, error) = CommCareReader.read(bytes, purpose: .submission)
        guard error == nil else { return nil }
        for event in events { take(event) }
        digest = CommCareDigest(bytes)
        content = Self.digest(bytes, without: Array(instanceID.utf8))
    }

    private static func bytes(_ range: Range<Int64>, of side: SideEvidence) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var offset: Int64 = 0
        let isRead = side.read { piece in
            let from = max(range.lowerBound, offset)
            let to = min(range.upperBound, offset + Int64(piece.count))
            if from < to {
                let start = piece.startIndex + Int(from - offset)
                bytes.append(contentsOf: piece[start..<start + Int(to - from)])
            }
            offset += Int64(piece.count)
            return offset < range.upperBound
        }
        return isRead && bytes.count == range.count ? bytes : nil
    }

    private mutating func take(_ event: CommCareEvent) {
        switch event {
        case .form(let form): isDeviceReport = form.namespace == FormInstance.deviceReport
        case .meta(let meta):
            instanceID = meta.instanceID ?? ""
            deprecatedID = meta.deprecatedID
            hasTimes = meta.timeStart?.isEmpty == false || meta.timeEnd?.isEmpty == false
            timeEnd = meta.timeEnd.flatMap {
                Timestamp($0, [.basicForm, .withoutZone])?.unixSeconds
            }
        case .caseBlock(let block):
            guard blocks.count < Self.maxBlocks else { return }
            blocks.append(block.trimmed)
        default: return
        }
    }

    private static func digest(_ bytes: [UInt8], without id: [UInt8]) -> CommCareDigest {
        var digest = CommCareDigest()
        guard id.count >= 4 else { return CommCareDigest(bytes) }
        var (start, place) = (0, 0)
        while place + id.count <= bytes.count {
            if bytes[place] == id[0], bytes[place..<place + id.count].elementsEqual(id) {
                digest.add(bytes[start..<place])
                place += id.count
                start = place
            } else {
                place += 1
            }
        }
        digest.add(bytes[start...])
        return digest
    }
}

extension CaseBlock {
    /// The block without properties and attachments, which do not decide where a case is.
    var trimmed: CaseBlock {
        var block = self
        block.attachments = []
        if block.update != nil { block.update = block.update?.filter { $0.name == "owner_id" } }
        return block
    }
}
