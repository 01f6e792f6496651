// Archives, whose members are searched as the files of a folder are.
#pragma once

#include <string>

namespace octavo::sources {

/// Whether a name has the extension of an archive. This includes archives that are not read, so that they are refused
/// by name and not left out.
bool is_named_as_archive(const std::string& name);

}  // namespace octavo::sources
