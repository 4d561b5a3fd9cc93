/// The forms that CommCare scenarios submit, and what goes with them.
///
/// Their names are those of files: `register.xml` makes the case `certify-case-1`, `update.xml`
/// changes it, `close.xml` closes it, `photo.xml` has the attachment `photo.jpg`, `other.xml` makes
/// a case and is the second device's, `theirs.xml` makes the case ``theirs`` of another user,
/// `demo.xml` is the demo user's, `openrosa.xml` has an `id` as forms of OpenRosa have, and
/// `visit-1.xml` and so on make a case each.
enum CommCareForms {
    /// Identifier of the case that belongs to another user.
    static let theirs = "certify-case-theirs"

    /// The content of the file of this name; empty where there is none.
    static func content(of name: String) -> [UInt8] {
        switch name {
        case "register.xml": return form("register", 1, registration("certify-case-1"))
        case "update.xml":
            return form(
                "update", 2, block("certify-case-1", "<update><visited>yes</visited></update>"))
        case "close.xml": return form("close", 3, block("certify-case-1", "<close/>"))
        case "other.xml": return form("other", 4, registration("certify-case-other"))
        case "theirs.xml":
            return form("theirs", 6, registration(theirs, owner: Identity.otherUserID))
        case "demo.xml":
            return form(
                "demo", 7, registration("certify-case-demo", by: "demo_user", owner: "demo_user"),
                by: "demo_user")
        case "openrosa.xml":
            return form(
                "openrosa", 8, "<answer>yes</answer>", attributes: " id=\"certify-openrosa\"")
        case "photo.xml":
            return form(
                "photo", 5, registration("certify-case-photo") + "<picture>photo.jpg</picture>")
        case "photo.jpg":
            // An empty JPEG: the start and the end of an image, with a comment between.
            return [0xFF, 0xD8, 0xFF, 0xFE, 0, 9] + Array("certify".utf8) + [0xFF, 0xD9]
        default:
            guard name.hasPrefix("visit-"), name.hasSuffix(".xml"),
                let number = Int(name.dropFirst(6).dropLast(4))
            else { return [] }
            return form("visit-\(number)", 10 + number, registration("certify-visit-\(number)"))
        }
    }

    /// The `instanceID` of the form in a file.
    static func instanceID(of name: String) -> String {
        "certify-form-\(name.hasSuffix(".xml") ? String(name.dropLast(4)) : name)"
    }

    /// The case that a form makes or changes; nil where it has none.
    static func caseFacts(of name: String) -> (id: String, isOwn: Bool, isClosed: Bool)? {
        switch name {
        case "register.xml", "update.xml": ("certify-case-1", true, false)
        case "close.xml": ("certify-case-1", true, true)
        case "other.xml", "photo.xml": ("certify-case-\(name.dropLast(4))", true, false)
        case "demo.xml": ("certify-case-demo", false, false)
        case "theirs.xml": (theirs, false, false)
        case _ where name.hasPrefix("visit-"): ("certify-\(name.dropLast(4))", true, false)
        default: nil
        }
    }

    private static func registration(
        _ id: String, by user: String = Identity.userID, owner: String = Identity.userID
    ) -> String {
        block(
            id,
            "<create><case_type>patient</case_type><case_name>\(id)</case_name>"
                + "<owner_id>\(owner)</owner_id></create>", by: user)
    }

    private static func block(
        _ id: String, _ blocks: String, by user: String = Identity.userID
    ) -> String {
        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\(id)\" "
            + "user_id=\"\(user)\" date_modified=\"2026-01-01T08:00:00.000Z\">"
            + blocks + "</case>"
    }

    /// A form that was filled in the minute of this number.
    private static func form(
        _ name: String, _ minute: Int, _ content: String, by user: String = Identity.userID,
        attributes: String = ""
    ) -> [UInt8] {
        let time = "2026-01-01T08:\(minute < 10 ? "0" : "")\(minute):"
        return Array(
            """
            <?xml version='1.0' encoding='UTF-8'?>
            <data xmlns="http://openrosa.org/certify/\(name)" name="\(name)" version="1"\
            \(attributes)>\
            \(content)<meta xmlns="http://openrosa.org/jr/xforms">\
            <deviceID>certify</deviceID><timeStart>\(time)00.000Z</timeStart>\
            <timeEnd>\(time)30.000Z</timeEnd><username>\(user == Identity.userID ? Identity.user : user)</username>\
            <userID>\(user)</userID><instanceID>certify-form-\(name)</instanceID>\
            </meta></data>

            """.utf8)
    }
}
