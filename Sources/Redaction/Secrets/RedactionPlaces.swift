/// Where secrets are by name, whatever they look like.
///
/// One table, which the documentation beside it repeats and a test compares. Names are in lower
/// case; they are compared without regard to case and to the difference of `-` and `_`.
public struct RedactionPlaces: Sendable {
    /// What carries names.
    public enum Container: String, Hashable, Sendable, CaseIterable {
        /// A field of an HTTP head.
        case field
        /// A parameter of a query, a form or a multipart body.
        case parameter
        /// A member of a JSON object, also inside a Simperium object or diff.
        case member
        /// An element or attribute of XML, or an element `data` with this `key`.
        case element
    }

    /// One place.
    public struct Place: Hashable, Sendable {
        /// What carries it.
        public var container: Container
        /// Its name.
        public var name: String
        /// What its value is.
        public var kind: SecretKind
    }

    /// The places that are always scanned.
    public static let all: [Place] = table.flatMap { container, kind, names in
        names.split(separator: " ").map {
            Place(container: container, name: String($0), kind: kind)
        }
    }

    private static let table: [(Container, SecretKind, String)] = [
        (
            .field, .token,
            """
            authorization proxy-authorization x-simperium-token x-simperium-api-key x-auth-token \
            x-api-key api-key x-access-token x-csrf-token x-csrftoken x-xsrf-token \
            x-amz-security-token x-goog-api-key
            """
        ),
        (.field, .cookie, "cookie set-cookie"),
        (.field, .person, "x-remote-user x-forwarded-user from"),
        (.field, .device, "x-openrosa-deviceid x-device-id"),
        (
            .parameter, .token,
            """
            token access_token refresh_token id_token auth_token api_key apikey key secret \
            client_secret sig signature csrfmiddlewaretoken csrf_token sessionid session_token
            """
        ),
        (.parameter, .password, "password passwd pwd pass passphrase pin"),
        (.parameter, .email, "email e_mail"),
        (.parameter, .person, "username user_name user login as phone phone_number"),
        (.parameter, .device, "deviceid device_id"),
        (
            .member, .token,
            """
            token access_token refresh_token id_token auth_token api_key apikey secret \
            client_secret private_key sessionid session_key session_token authorization
            """
        ),
        (.member, .cookie, "cookie set_cookie"),
        (.member, .password, "password passwd pwd passphrase pin"),
        (.member, .email, "email e_mail"),
        (
            .member, .person,
            """
            username user_name login first_name last_name full_name middle_name given_name \
            family_name surname phone phone_number mobile mobile_number
            """
        ),
        (.member, .device, "deviceid device_id"),
        (
            .element, .token,
            "token access_token auth_token api_key secret session_token csrfmiddlewaretoken"
        ),
        (.element, .password, "password passwd pwd passphrase pin"),
        (.element, .email, "email email_address"),
        (
            .element, .person,
            """
            username name case_name first_name last_name full_name middle_name given_name \
            family_name surname nickname mother_name father_name husband_name child_name \
            patient_name client_name contact_name phone phone_number contact_phone_number mobile \
            mobile_number address
            """
        ),
        (.element, .device, "deviceid device_id registering_phone_id phone_id"),
    ]

    private let kinds: [Container: [String: SecretKind]]

    /// The places of the table, and `names` in every container.
    init(names: [String] = []) {
        var kinds: [Container: [String: SecretKind]] = [:]
        for place in Self.all {
            kinds[place.container, default: [:]][Self.normal(place.name.utf8)] = place.kind
        }
        for container in Container.allCases {
            for name in names { kinds[container, default: [:]][Self.normal(name.utf8)] = .pattern }
        }
        self.kinds = kinds
    }

    /// What the value of `name` is; nil where it is not a secret by name.
    func kind(_ container: Container, _ name: some Collection<UInt8>) -> SecretKind? {
        guard name.count <= 64 else { return nil }
        return kinds[container]?[Self.normal(name)]
    }

    /// Identifiers, on which the protocols depend: equal secrets are not replaced in them, since
    /// hashes of identifiers and what refers to them would not fit any more.
    public static let identifiers = Set(
        """
        id case_id user_id userid owner_id uuid instanceid restore_id external_id since state \
        clientid client_id ccid ccids cv app_id x_commcarehq_lastsynctoken
        """.split(separator: " ").map(String.init))

    /// Whether `name` is that of an identifier.
    static func isIdentifier(_ name: some Collection<UInt8>) -> Bool {
        name.count <= 64 && identifiers.contains(normal(name))
    }

    private static func normal(_ name: some Collection<UInt8>) -> String {
        let bytes = name.map { byte -> UInt8 in
            switch byte {
            case 0x41...0x5A: byte | 0x20
            case 0x2D: 0x5F
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
