// SPDX-License-Identifier: Apache-2.0
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Options of libcurl are of any type, as arguments that Swift cannot give.

static inline CURLcode legato_curl_number(CURL *handle, CURLoption option, long number) {
  return curl_easy_setopt(handle, option, number);
}

static inline CURLcode legato_curl_large(CURL *handle, CURLoption option, curl_off_t number) {
  return curl_easy_setopt(handle, option, number);
}

static inline CURLcode legato_curl_pointer(CURL *handle, CURLoption option, const void *pointer) {
  return curl_easy_setopt(handle, option, pointer);
}

static inline CURLcode legato_curl_receiver(
    CURL *handle, CURLoption option, size_t (*receiver)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, receiver);
}

static inline long legato_curl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Bytes of a request and its answer that went and came until now.
static inline curl_off_t legato_curl_moved(CURL *handle) {
  curl_off_t sent = 0, received = 0;
  curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &sent);
  curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &received);
  return sent + received;
}

static inline struct curl_certinfo *legato_curl_certificates(CURL *handle) {
  struct curl_certinfo *certificates = NULL;
  curl_easy_getinfo(handle, CURLINFO_CERTINFO, &certificates);
  return certificates;
}

static inline CURLcode legato_curl_result(CURLMsg *message) { return message->data.result; }
