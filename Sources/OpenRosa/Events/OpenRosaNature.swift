/// The result of the request in an `OpenRosaResponse`, in the `nature` of its message.
///
/// Source: `ResponseNature` in CommCare HQ's openrosa_response.py, and the OpenRosa specification
/// for the last. A message without a nature is legal.
public enum OpenRosaNature: String, Hashable, Sendable, CaseIterable {
    /// The form was accepted.
    case submitSuccess = "submit_success"
    /// The form was not accepted; sent with a 201 to clients of version 2 and below.
    case submitError = "submit_error"
    /// The form cannot be processed and must not be sent again.
    case processingFailure = "processing_failure"
    /// The form was stored, and a step after that failed.
    case postProcessingFailure = "post_processing_failure"
    /// A restore follows.
    case restoreSuccess = "ota_restore_success"
    /// The restore is being prepared: ask again later.
    case restorePending = "ota_restore_pending"
    /// There is no restore for this request.
    case restoreError = "ota_restore_error"
    /// A user was registered.
    case userRegistered = "submit_user_registered"
}
