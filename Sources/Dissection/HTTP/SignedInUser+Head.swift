package import Framing
package import OpenRosa

extension SignedInUser {
    /// The user of a request.
    package static func name(in head: HTTPHead, query: String?) -> String? {
        name(authorization: head.first("authorization").map { head.text($0.value) }, query: query)
    }
}
