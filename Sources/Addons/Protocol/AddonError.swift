public import Notation

/// Why a line of an add-on is not one of the protocol.
public struct AddonError: Error, Hashable {
    /// What is wrong with a line.
    public enum Problem: Hashable, Sendable {
        /// It is longer than `limit` bytes.
        case tooLong(limit: Int)
        /// It is not JSON in UTF-8.
        case notJSON(JSONError)
        /// It is JSON and no object.
        case notAnObject
        /// A member is missing.
        case missing(String)
        /// A member is there twice, or is no member of this line.
        case unexpected(String)
        /// A member has another type or range than `expected`.
        case invalid(String, expected: String)
        /// The first line is no `hello`.
        case noHello
        /// The version of the protocol is not this one.
        case otherVersion(Int64)
        /// A filter cannot be read, or is about what is not known of these events; why.
        case filter(String, String)
        /// No verdict has this name.
        case unknownVerdict(String)
        /// No event has this identifier, or its verdict was given already.
        case unknownID(Int64)
        /// The verdict does not go with events of this kind.
        case notApplicable(String, kind: String)
        /// More marks, notes and messages come than there are events for.
        case flood(limit: Int)
    }

    /// What is wrong.
    public let problem: Problem
    /// Offset in bytes within the line.
    public let offset: Int

    /// A problem at a place of the line.
    public init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension AddonError: CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String { "\(detail) (byte \(offset) of the line)" }

    /// What is wrong, without the place.
    var detail: String {
        switch problem {
        case .tooLong(let limit): "a line is longer than \(limit) bytes"
        case .notJSON(let error): error.description
        case .notAnObject: "the line is no JSON object"
        case .missing(let name): "\"\(name)\" is missing"
        case .unexpected(let name): "\"\(name)\" is not expected here"
        case .invalid(let name, let expected): "\"\(name)\" is not \(expected)"
        case .noHello: "the first line has to be the hello"
        case .otherVersion(let version):
            "it speaks version \(version) of the protocol, and this is version "
                + "\(AddonHello.version)"
        case .filter(let filter, let reason):
            "the filter \(AddonMembers.shown(filter)): \(reason)"
        case .unknownVerdict(let name): "there is no verdict \"\(name)\""
        case .unknownID(let id): "no event with id \(id) waits for a verdict"
        case .notApplicable(let verdict, let kind): "\"\(verdict)\" does not go with a \(kind)"
        case .flood(let limit): "more than \(limit) marks, notes and messages without an event"
        }
    }
}
