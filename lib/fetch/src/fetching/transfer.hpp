// One attempt to receive a file, or the rest of it, over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fetching/part_file.hpp"

namespace octavo::fetching {

/// A request.
struct Transfer {
  std::string url;
  PartFile& part;                ///< has the beginning; receives the rest
  std::int64_t offset = 0;       ///< bytes already in `part`
  std::int64_t total_bytes = 0;  ///< of the whole file; larger than `offset`
  std::string etag = {};         ///< of the response that the beginning came from; empty if unknown
  int stall_seconds = 30;
  /// Called several times a second with the number of bytes in the file. An exception from it ends the attempt and
  /// leaves receive().
  std::function<void(std::int64_t)> on_bytes = {};
};

enum class TransferEnd {
  complete,  ///< the file has all its bytes
  broken,    ///< incomplete; another attempt may receive the rest
  no_range,  ///< the server cannot resume at `offset`; start over
  refused,   ///< this URL will not serve the file
};

struct TransferResult {
  TransferEnd end = TransferEnd::broken;
  std::string reason;               ///< unless complete: what is wrong, on one line
  std::int64_t received_bytes = 0;  ///< by this attempt
  bool began_anew = false;          ///< the server sent the file from its beginning; earlier bytes were dropped
  std::string etag = {};            ///< of this response; empty if it has no strong tag
};

/// Requests the bytes from `offset` to the end and writes them to the file, never beyond total_bytes. Follows up to
/// five redirects; accepts only http and https. Throws IoError if the file cannot be written.
TransferResult receive(const Transfer& transfer);

}  // namespace octavo::fetching
