// One attempt to receive a file, or the rest of it, over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fetching/part_file.hpp"

namespace octavo::fetching {

/// What is asked for.
struct Transfer {
  std::string url;
  PartFile& part;                ///< holds the beginning; receives the rest
  std::int64_t offset = 0;       ///< bytes of that beginning
  std::int64_t total_bytes = 0;  ///< of the whole; larger than `offset`
  std::string etag = {};         ///< of the answer that the beginning came from; empty: unknown
  int stall_seconds = 30;
  /// Called several times a second with the bytes that the file has now. May throw, which ends the attempt and comes
  /// out of receive().
  std::function<void(std::int64_t)> on_bytes = {};
};

enum class TransferEnd {
  complete,  ///< the file has all its bytes
  broken,    ///< not all of them came, but the next attempt may bring the rest
  no_range,  ///< the server cannot go on from `offset`: the beginning is of no use to it
  refused,   ///< this address will not give the file
};

struct TransferResult {
  TransferEnd end = TransferEnd::broken;
  std::string reason;               ///< unless complete: what is wrong, on one line
  std::int64_t received_bytes = 0;  ///< by this attempt
  bool began_anew = false;          ///< the server sent the file from its beginning, and what was there is dropped
  std::string etag = {};            ///< of this answer; empty: none that could be relied on
};

/// Asks for the bytes from `offset` on and writes what comes to the file, never beyond total_bytes. Only http and
/// https, also after redirects, of which it follows five. Throws IoError if the file cannot be written.
TransferResult receive(const Transfer& transfer);

}  // namespace octavo::fetching
