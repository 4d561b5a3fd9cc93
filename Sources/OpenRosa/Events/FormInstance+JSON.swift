import Notation
import Wire

extension FormInstance {
    /// Adds the members of the root of a form.
    func describe(into object: inout JSONObject) {
        object.put("root", root)
        object.put("namespace", namespace)
        object.put("name", name)
        object.put("version", version)
        object.put("ui_version", uiVersion)
        object.put("id", id)
        object.cut(isCut)
    }
}

extension FormMeta {
    /// Adds the members of the meta block of a form.
    func describe(into object: inout JSONObject) {
        object.put("namespace", namespace)
        object.put("instance_id", instanceID)
        object.put("deprecated_id", deprecatedID)
        object.put("device_id", deviceID)
        object.put("time_start", timeStart)
        object.put("time_end", timeEnd)
        object.put("username", username)
        object.put("user_id", userID)
        object.put("app_version", appVersion)
        object.put("drift", drift)
        object.put("others", others)
        object.cut(isCut)
    }
}

extension Registration {
    /// Adds the members of a registration.
    func describe(into object: inout JSONObject) {
        object.put("username", username)
        object.put("uuid", uuid)
        object.put("date", date)
        object.put("registering_phone_id", phoneID)
        object.put("has_password", .bool(hasPassword))
        if hasToken { object.put("has_token", .bool(true)) }
        if let userData { object.put("user_data", .list(userData)) }
        object.cut(isCut)
    }
}

extension ListedForm {
    /// Adds the members of a listed form.
    func describe(into object: inout JSONObject) {
        object.put("name", name)
        object.put("form_id", formID)
        object.put("version", version)
        object.put("hash", hash)
        object.put("download_url", downloadURL)
        object.put("manifest_url", manifestURL)
        object.put("description_text", descriptionText)
        object.put("description_url", descriptionURL)
        object.put("others", others)
        object.cut(isCut)
    }
}
