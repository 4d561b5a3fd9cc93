import Wire

/// Something that may show that a client recovered, as a place to look up who waits for it.
enum RecoveryEvent: Hashable {
    /// The same request of the client again, answered with success.
    case request(ClientName, RequestName)
    /// Any exchange of the client that succeeded.
    case anyAnswer(ClientName)
    /// Any exchange of the client, successful or not.
    case anyRequest(ClientName)
    /// A form of the client under this instanceID.
    case form(ClientName, String)
    /// An exchange or an authorisation that succeeded on a later connection.
    case reconnection(ClientName)
    /// Something that a client receives on a connection that it had before.
    case survival(ClientName)
    /// A change with this ccid is answered or shown.
    case ccid(ClientName, String)
    /// A change of the client for this object is acknowledged.
    case ownChange(ClientName, bucket: String, key: String)
    /// This object, as the client gets it.
    case object(ClientName, bucket: String, key: String)
    /// An index is complete.
    case index(ClientName, bucket: String)
    /// A channel is authorised.
    case authorisation(ClientName, bucket: String)
    /// A heartbeat is answered.
    case heartbeat(ClientName)
    /// Changes or an index of the bucket are requested.
    case asked(ClientName, bucket: String)
    /// Any command of the client.
    case anyCommand(ClientName)
    /// An entity is requested.
    case entityRequest(ClientName, bucket: String, key: String)
    /// A change is sent under this ccid.
    case changeSent(ClientName, String)
    /// A change of this object is sent, whatever its ccid.
    case edited(ClientName, bucket: String, key: String)
    /// A change of this object is refused because it does not fit what the server has.
    case misfit(ClientName, bucket: String, key: String)
    /// The data of this object, as the server has it.
    case content(ClientName, bucket: String, key: String)
    /// Changes of the bucket arrive, or the answer that there are none.
    case changes(ClientName, bucket: String)
}

/// The identity of a request.
struct RequestName: Hashable {
    var api: String
    var method: String
    var host: String
    var path: String
    var instance: String?
}
