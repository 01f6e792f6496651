// Packing with a check once the output is locked.
#pragma once

#include <filesystem>
#include <functional>

#include <octavo/pack.hpp>

namespace octavo::packing {

/// Packs as octavo::pack() does. Calls `once_locked` after locking `path` against other writers and before packing
/// anything; if it throws, nothing is packed. The first `kept_splits` splits keep their names and their largest errors,
/// whatever the options.
PackSummary pack_locked(Source& source, const std::filesystem::path& path, const PackOptions& options,
                        std::size_t kept_splits, const std::function<void()>& once_locked);

}  // namespace octavo::packing
