#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <curl/curl.h>

// Swift cannot call variadic functions: one function for each type of an option's value.
CURLcode shim_easy_setopt_long(CURL *handle, CURLoption option, long value);
CURLcode shim_easy_setopt_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode shim_easy_setopt_string(CURL *handle, CURLoption option, const char *value);
CURLcode shim_easy_setopt_pointer(CURL *handle, CURLoption option, void *value);

// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
typedef size_t (*shim_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode shim_easy_setopt_bytes_callback(
    CURL *handle, CURLoption option, shim_bytes_callback value);

// For CURLOPT_SEEKFUNCTION.
typedef int (*shim_seek_callback)(void *context, curl_off_t offset, int origin);
CURLcode shim_easy_setopt_seek_callback(
    CURL *handle, CURLoption option, shim_seek_callback value);

CURLcode shim_easy_getinfo_long(CURL *handle, CURLINFO info, long *value);
CURLcode shim_easy_getinfo_string(CURL *handle, CURLINFO info, const char **value);

CURLMcode shim_multi_setopt_long(CURLM *handle, CURLMoption option, long value);

// Has the share keep the cookies of its easy handles.
CURLSHcode shim_share_cookies(CURLSH *share);

// The easy handle and the result of a message that says that a transfer is done; NULL for any
// other message.
CURL *shim_done_handle(const CURLMsg *message, CURLcode *result);

// Macros that Swift does not import.
CURLcode shim_global_init(void);
extern const size_t shim_read_abort;
extern const long shim_auth_basic;
extern const long shim_auth_basic_or_digest;

#endif
