/// Rules about the commands of a Simperium server.
public enum SimperiumServerRules {
    /// Every rule.
    public static let all: [Rule] = answers + changes + pages + forms
}
