internal import NIOCore
internal import Platform

extension SyncServerError {
    /// Why an address cannot be listened on.
    init(listening host: String, _ port: Int, _ error: any Error) {
        let failure = ListenFailure(
            (error as? IOError)?.errnoCode, host: host, port: port,
            otherwise: error is SocketAddressError.UnknownHost
                ? "the name is not known; use an address" : "\(error)")
        let code: Code =
            switch failure.kind {
            case .taken: .addressInUse
            case .notHere, .notPermitted: .badAddress
            case .other: error is IOError ? .badAddress : .failed
            }
        self.init(code, failure.reason)
    }
}
