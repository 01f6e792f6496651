// Owners of what libcurl allocates.
#pragma once

#include <curl/curl.h>

#include <new>
#include <string>

#include <octavo/errors.hpp>

#include "support/unique_handle.hpp"

namespace octavo::remote {

using CurlEasy = UniqueHandle<CURL*, nullptr, &curl_easy_cleanup>;
using CurlHeaders = UniqueHandle<curl_slist*, nullptr, &curl_slist_free_all>;

/// A handle for requests. Throws IoError.
inline CurlEasy make_easy() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  CurlEasy easy(started == CURLE_OK ? curl_easy_init() : nullptr);
  if (!easy) throw IoError("start libcurl: initialization failed; free some memory and try again");
  return easy;
}

/// Adds a line, without its end. Throws std::bad_alloc.
inline void append(CurlHeaders& headers, const std::string& header) {
  curl_slist* const longer = curl_slist_append(headers.get(), header.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(headers.release());  // the first element of the same list
  headers = CurlHeaders(longer);
}

}  // namespace octavo::remote
