package import Notation

/// The description of the interface, OpenAPI 3.1, as in the repository.
package enum OpenAPI {
    /// The text of `openapi.json`.
    static let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)

    /// The same as a value; a test checks that it is JSON.
    package static let document = (try? JSONValue(parsing: text)) ?? .null
}
