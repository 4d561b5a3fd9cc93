import NIOCore
import NIOPosix
import Platform

/// The reason why a leg was closed, as text.
enum CloseCause {
    /// The cause in a few words.
    static func detail(_ errors: [any Error], isReset: Bool) -> String {
        if isReset { return "reset" }
        guard let error = errors.last else { return "closed" }
        if let io = error as? IOError { return io.localizedReason }
        return "\(error)"
    }
}

/// The reason why a server could not be connected, as text.
enum ConnectCause {
    /// The cause in a few words.
    static func detail(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            if let dns = error.dnsAError ?? error.dnsAAAAError, error.connectionErrors.isEmpty {
                return "the name \(error.host) can not be resolved (\(dns))"
            }
            if let first = error.connectionErrors.first { return detail(first.error) }
        }
        switch error {
        case ChannelError.connectTimeout:
            return "connecting took too long"
        case let io as IOError:
            return io.localizedReason
        default:
            return "\(error)"
        }
    }
}

extension ConnectCause {
    /// The same as protocols can say it.
    static func kind(_ error: any Error) -> Unreachable {
        if case ChannelError.connectTimeout = error { return .timedOut }
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return .noHost }
            return kind(first.error)
        }
        return switch systemError(error) {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH: .noHost
        case ENETUNREACH: .noNetwork
        case ETIMEDOUT: .timedOut
        default: .other
        }
    }

    /// The system's error number, where the system gave one.
    static func systemError(_ error: any Error) -> Int32? {
        if let error = error as? NIOConnectionError {
            return error.connectionErrors.first.flatMap { systemError($0.error) }
        }
        return (error as? IOError)?.errnoCode
    }
}

extension IOError {
    /// The system's message for the error number.
    fileprivate var localizedReason: String { String(cString: strerror(errnoCode)) }
}
