// Packing under a condition.
#pragma once

#include <filesystem>
#include <functional>

#include <octavo/pack.hpp>

namespace octavo::packing {

/// Packs as octavo::pack() does. Calls `once_locked` when no other writer can be at work on `path` any more, and before
/// anything is packed; where that throws, nothing is.
PackSummary pack_locked(Source& source, const std::filesystem::path& path, const PackOptions& options,
                        const std::function<void()>& once_locked);

}  // namespace octavo::packing
