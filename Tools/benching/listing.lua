-- Requests for the listing trace: mostly alike, with a few of each kind that filters ask for.
local number = 0
local port = os.getenv("ORIGIN_PORT")

function request()
    number = number + 1
    local host, method, path, body = "127.0.0.1", "GET", "/notes/" .. number, nil
    local headers = {}
    if number % 2 == 0 then host = "127.0.0.2" end
    if number % 3 == 0 then
        method = "POST"
        headers["Content-Type"] = "text/plain"
        body = "note number " .. number .. " was written by ada on some ordinary day"
    end
    if number % 1000 == 7 then host = "127.0.0.3" end
    if number % 2000 == 11 then method, body = "DELETE", nil end
    if number % 1500 == 13 then path = "/rare/place/" .. number end
    if number % 1000 == 22 then path = "/a/demo/phone/restore/?version=2.0" end
    if number % 2000 == 17 then path = "/unavailable" end
    if number % 25000 == 3003 then body = "among many words the zebraquince stands alone" end
    local authority = host .. ":" .. port
    headers["Host"] = authority
    return wrk.format(method, "http://" .. authority .. path, headers, body)
end
