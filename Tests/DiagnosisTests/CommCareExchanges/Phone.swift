import Wire

@testable import Diagnosis

/// Requests of a phone and answers of a server that break no rule.
enum Phone {
    static let fields =
        "Host: hq.example\nX-OpenRosa-Version: 3.0\nx-openrosa-deviceid: d1"
    static let block =
        #"<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c1" date_modified="2026-01-02T03:04:05Z" user_id="u1"><create><case_type>patient</case_type><case_name>Ada</case_name><owner_id>u1</owner_id></create></case>"#
    static let meta =
        #"<meta xmlns="http://openrosa.org/jr/xforms"><deviceID>d1</deviceID><timeStart>2026-01-02T03:00:00Z</timeStart><timeEnd>2026-01-02T03:04:05Z</timeEnd><username>ada</username><userID>u1</userID><instanceID>i-1</instanceID></meta>"#
    static let form =
        #"<data xmlns="http://forms.example/visit" name="Visit" version="1"><photo>a.jpg</photo>\#(block)\#(meta)</data>"#
    static let photo = part("a.jpg", filename: "a.jpg", type: "image/jpeg", "JFIF")

    static func part(
        _ name: String, filename: String? = nil, type: String? = nil, _ content: String
    ) -> String {
        let file = filename.map { "; filename=\"\($0)\"" } ?? ""
        let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
        return
            "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\(type)\r\n\(content)\r\n"
    }

    static func formPart(_ form: String) -> String {
        part("xml_submission_file", filename: "form.xml", type: "text/xml", form)
    }

    /// A submission of these parts.
    static func parts(
        _ parts: String, to path: String = "/a/demo/receiver/app/", _ fields: String = fields
    )
        -> String
    {
        "POST \(path) HTTP/1.1\n\(fields)\nContent-Type: multipart/form-data; boundary=b\n\n\(parts)--b--\r\n"
    }

    /// A submission of this form with a photo.
    static func submit(
        _ form: String = form, to path: String = "/a/demo/receiver/app/", _ fields: String = fields
    )
        -> String
    {
        parts(formPart(form) + photo, to: path, fields)
    }

    /// A request for a restore.
    static func restore(_ query: String = "", _ fields: String = fields) -> String {
        "GET /a/demo/phone/restore/?version=2.0&device_id=d1&user_id=u1&items=true\(query) HTTP/1.1\n\(fields)\n\n"
    }

    static let head =
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\nX-OpenRosa-Version: 3.0\nX-OpenRosa-Accept-Content-Length: 10485760"
    static let xml = "Content-Type: text/xml; charset=utf-8"

    static func answer(_ status: String, _ body: String, _ fields: String = xml) -> String {
        "HTTP/1.1 \(status)\n\(head)\n\(fields)\n\n\(body)"
    }

    static func message(_ nature: String, _ more: String = "") -> String {
        #"<OpenRosaResponse xmlns="http://openrosa.org/http/response"><message nature="\#(nature)">text</message>\#(more)</OpenRosaResponse>"#
    }

    static let registration =
        #"<Registration xmlns="http://openrosa.org/user/registration"><username>ada</username><password>sha1$1$2</password><uuid>u1</uuid><date>2026-01-01</date></Registration>"#
    static let payload =
        #"<OpenRosaResponse xmlns="http://openrosa.org/http/response" items="4"><message nature="ota_restore_success">text</message><Sync xmlns="http://commcarehq.org/sync"><restore_id>r1</restore_id></Sync>\#(registration)\#(block)</OpenRosaResponse>"#

    static let accepted = answer("201 Created", message("submit_success"))
    static let restored = answer("200 OK", payload)
    static let pending = message(
        "ota_restore_pending",
        #"<Sync xmlns="http://commcarehq.org/sync"><progress done="5" total="10"/></Sync>"#)

    // MARK: OpenRosa

    static let rosaFields =
        "Host: odk.example\nX-OpenRosa-Version: 1.0\nDate: Sun, 06 Nov 1994 08:49:37 GMT"
    static let rosaHead =
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\nX-OpenRosa-Version: 1.0\nX-OpenRosa-Accept-Content-Length: 1000"
    /// What comes before the first submission.
    static let rosaCheck = (
        "HEAD /submission?deviceID=d1 HTTP/1.1\n\(rosaFields)\n\n",
        "HTTP/1.1 204 No Content\n\(rosaHead)\n\n"
    )
    static let rosaForm =
        #"<data id="visit" version="1"><photo>a.jpg</photo><meta xmlns="http://openrosa.org/xforms"><instanceID>uuid:1</instanceID></meta></data>"#

    /// A request for the form list, and the list.
    static let rosaList = "GET /formList?deviceID=d1 HTTP/1.1\n\(rosaFields)\n\n"
    static let list =
        #"<xforms xmlns="http://openrosa.org/xforms/xformsList"><xform><formID>visit</formID><name>Visit</name><hash>md5:1</hash><downloadUrl>http://odk.example/forms/visit.xml</downloadUrl></xform></xforms>"#

    static func rosa(_ form: String = rosaForm, _ fields: String = rosaFields) -> String {
        submit(form, to: "/submission?deviceID=d1", fields)
    }

    static func rosaAnswer(
        _ status: String = "201 Created", _ body: String = message("submit_success"),
        _ head: String = rosaHead, _ type: String = xml
    ) -> String {
        "HTTP/1.1 \(status)\n\(head)\n\(type)\n\n\(body)"
    }
}
