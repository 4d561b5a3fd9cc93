#include "CurlShim.h"

CURLcode shim_easy_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_setopt_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_setopt_bytes_callback(
    CURL *handle, CURLoption option, shim_bytes_callback value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_setopt_seek_callback(
    CURL *handle, CURLoption option, shim_seek_callback value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode shim_easy_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode shim_easy_getinfo_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLMcode shim_multi_setopt_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

CURLSHcode shim_share_cookies(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

CURL *shim_done_handle(const CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return NULL;
    *result = message->data.result;
    return message->easy_handle;
}

CURLcode shim_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

const size_t shim_read_abort = CURL_READFUNC_ABORT;

const long shim_auth_basic = (long)CURLAUTH_BASIC;

const long shim_auth_basic_or_digest = (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST);
