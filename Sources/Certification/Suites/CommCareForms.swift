/// The forms that CommCare scenarios submit, and what goes with them.
///
/// Their names are those of files: `register.xml` makes the case `certify-case-1`, `update.xml`
/// changes it, `close.xml` closes it, `photo.xml` has the attachment `photo.jpg`, `other.xml` makes a
/// case and is the second device's, and `visit-1.xml` and so on make a case each.
enum CommCareForms {
    /// What is in the file of this name; empty where there is none.
    static func content(of name: String) -> [UInt8] {
        switch name {
        case "register.xml": return form("register", 1, registration("certify-case-1"))
        case "update.xml":
            return form(
                "update", 2, block("certify-case-1", "<update><visited>yes</visited></update>"))
        case "close.xml": return form("close", 3, block("certify-case-1", "<close/>"))
        case "other.xml": return form("other", 4, registration("certify-case-other"))
        case "photo.xml":
            return form(
                "photo", 5, registration("certify-case-photo") + "<picture>photo.jpg</picture>")
        case "photo.jpg":
            // A JPEG of nothing: the start and the end of an image, with a comment between.
            return [0xFF, 0xD8, 0xFF, 0xFE, 0, 9] + Array("certify".utf8) + [0xFF, 0xD9]
        default:
            guard name.hasPrefix("visit-"), name.hasSuffix(".xml"),
                let number = Int(name.dropFirst(6).dropLast(4))
            else { return [] }
            return form("visit-\(number)", 10 + number, registration("certify-visit-\(number)"))
        }
    }

    private static func registration(_ id: String) -> String {
        block(
            id,
            "<create><case_type>patient</case_type><case_name>\(id)</case_name>"
                + "<owner_id>\(Identity.userID)</owner_id></create>")
    }

    private static func block(_ id: String, _ blocks: String) -> String {
        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\(id)\" "
            + "user_id=\"\(Identity.userID)\" date_modified=\"2026-01-01T08:00:00.000Z\">"
            + blocks + "</case>"
    }

    /// A form that was filled in the minute of this number.
    private static func form(_ name: String, _ minute: Int, _ content: String) -> [UInt8] {
        let time = "2026-01-01T08:\(minute < 10 ? "0" : "")\(minute):"
        return Array(
            """
            <?xml version='1.0' encoding='UTF-8'?>
            <data xmlns="http://openrosa.org/certify/\(name)" name="\(name)" version="1">\
            \(content)<meta xmlns="http://openrosa.org/jr/xforms">\
            <deviceID>certify</deviceID><timeStart>\(time)00.000Z</timeStart>\
            <timeEnd>\(time)30.000Z</timeEnd><username>\(Identity.user)</username>\
            <userID>\(Identity.userID)</userID><instanceID>certify-form-\(name)</instanceID>\
            </meta></data>

            """.utf8)
    }
}
