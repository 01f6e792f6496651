// What a rank tells all others in each round of a group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace octavo::exchange {

/// What a client of a group asks all ranks for.
struct Request {
  std::uint64_t digest = 0;     ///< of the client's options, which must be equal on all ranks
  std::int64_t generation = 0;  ///< counts how often it began somewhere else
  std::int64_t epoch = 0;
  std::int64_t number = 0;       ///< of the batch in its epoch
  std::uint64_t is_blocked = 0;  ///< 1 if somebody waits for it
};

/// The request of client `client`. Clients have the same numbers on all ranks.
struct NumberedRequest {
  std::uint64_t client = 0;
  Request request;
};

/// Copied between processes of one program as it is. A multiple of 8 bytes, without padding.
struct RankStatus {
  static constexpr std::uint64_t kVersion = 1;
  static constexpr std::size_t kMostRequests = 16;
  static constexpr std::size_t kMostMessageBytes = 240;

  std::uint64_t version = kVersion;
  std::int64_t agreement_count = 0;  ///< of Group::agree() so far
  std::int64_t agreement_value = 0;  ///< of the last one
  std::uint64_t has_left = 0;        ///< 1: this is its last round
  std::uint64_t has_failed = 0;      ///< 1: the same, because of `message`
  std::uint64_t request_count = 0;
  std::array<NumberedRequest, kMostRequests> requests = {};  ///< in ascending order of their clients
  std::array<char, kMostMessageBytes> message = {};          ///< ends with a zero byte
};

}  // namespace octavo::exchange
