internal import CPcap
internal import Platform

/// Giving up the rights that only opening an interface needs.
public enum Privileges {
    /// Gives up root and all capabilities, as far as there is another user to become.
    ///
    /// Call it after ``LiveCapture`` was opened, which keeps working, and before the trace is
    /// created: the trace then belongs to the calling user. Under sudo that is the user who called
    /// sudo. The change of the user is for all threads; capabilities are given up for this thread
    /// and those it starts later, so call it before there are others.
    ///
    /// - Parameter toNobody: Whether root without a sudo user becomes the user `nobody`; then the
    ///   trace has to be in a folder where that user may write.
    /// - Returns: What was done, as text.
    /// - Throws: ``CaptureError`` with `notPermitted` where rights could not be given up; then do
    ///   not continue.
    public static func drop(toNobody: Bool = false) throws(CaptureError) -> String {
        var done = "kept the rights of this user"
        var staysRoot = false
        if geteuid() == 0 {
            if let user = sudoer() ?? (toNobody ? nobody() : nil) {
                try become(user)
                done = "continued as \(user.name)"
            } else {
                staysRoot = true
                done = "continued as root, since sudo set no other user"
            }
        }
        // Root without capabilities could not even write where only another user may.
        if !staysRoot, tapedeck_drop_capabilities() != 0 {
            throw failure("capabilities")
        }
        guard tapedeck_forbid_new_privileges() == 0 else { throw failure("regaining rights") }
        return staysRoot ? done : done + ", without capabilities"
    }

    private struct User {
        var user: uid_t
        var group: gid_t
        var name: String
    }

    /// Who called sudo; nil where that is root, or where it was not sudo.
    private static func sudoer() -> User? {
        guard let user = number("SUDO_UID"), let group = number("SUDO_GID"), user != 0 else {
            return nil
        }
        let name = getenv("SUDO_USER").map { String(cString: $0) }
        return User(user: user, group: group, name: name ?? "user \(user)")
    }

    private static func nobody() -> User? {
        guard let entry = getpwnam("nobody")?.pointee, entry.pw_uid != 0 else { return nil }
        return User(user: entry.pw_uid, group: entry.pw_gid, name: "nobody")
    }

    private static func number(_ variable: String) -> UInt32? {
        getenv(variable).flatMap { UInt32(String(cString: $0)) }
    }

    private static func become(_ user: User) throws(CaptureError) {
        // In this order: once the user is changed, groups cannot be changed any more. For root,
        // these change the real, the effective and the saved one.
        guard setgroups(1, [user.group]) == 0,
            setgid(user.group) == 0, setuid(user.user) == 0
        else { throw failure("root") }
        guard getuid() == user.user, getgid() == user.group, setuid(0) != 0 else {
            throw CaptureError(.notPermitted, "could not give up root: it was regained")
        }
    }

    private static func failure(_ what: String) -> CaptureError {
        CaptureError(.notPermitted, "could not give up \(what): \(CaptureStream.detail(errno))")
    }
}
