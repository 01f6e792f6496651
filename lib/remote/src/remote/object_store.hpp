// Objects of S3, of compatible stores and of Google Cloud Storage: their addresses and credentials.
#pragma once

#include "remote/remote_file.hpp"

namespace octavo::remote {

/// For s3://BUCKET/KEY. Throws like locate().
RemoteFile locate_s3_file(const std::string& location, const SourceOptions& options, const Environment& environment);
/// For gs://BUCKET/KEY.
RemoteFile locate_gs_file(const std::string& location, const SourceOptions& options, const Environment& environment);

}  // namespace octavo::remote
