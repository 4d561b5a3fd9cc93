#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <curl/curl.h>

// Swift cannot call variadic functions: one function for each type of an option's value.
CURLcode shim_easy_setopt_long(CURL *handle, CURLoption option, long value);

#endif
