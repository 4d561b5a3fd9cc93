import Wire

/// Identifies a syncing client: a user on a device with a project of a server.
struct CommCarePersonKey: Hashable, Sendable {
    /// Host and port.
    let server: String
    /// The project: what follows `/a/` in the path; empty without.
    let domain: String
    /// Device id, or the address of a client that names none.
    let device: String
    /// The user's name without project; empty where none was ever named on the device.
    let user: String

    /// The topic of findings about the user's syncs.
    var topic: String { user.isEmpty ? device : user }
}
