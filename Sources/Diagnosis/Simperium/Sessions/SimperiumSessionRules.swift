/// Rules about the commands of a Simperium client other than changes: opening, reading, staying
/// connected.
public enum SimperiumSessionRules {
    /// Every rule.
    public static let all: [Rule] = opening + forms + syncing + entities + connections + remote
}
