internal import Platform
internal import Serving

extension SyncServerError {
    /// Why an address cannot be listened on.
    init(listening host: String, _ port: Int, _ error: ListenError) {
        let failure = ListenFailure(error.code, host: host, port: port, otherwise: error.reason)
        let code: Code =
            switch failure.kind {
            case .taken: .addressInUse
            case .notHere, .notPermitted: .badAddress
            case .other: error.code == nil ? .failed : .badAddress
            }
        self.init(code, failure.reason)
    }
}
