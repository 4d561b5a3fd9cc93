/// Rules about what a client of Simperium says beside changes: opening, reading, staying connected.
public enum SimperiumSessionRules {
    /// Every rule.
    public static let all: [Rule] = opening + forms + syncing + entities + connections + remote
}
