// A file of a server, and how requests for it are authorized.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <octavo/remote.hpp>

#include "remote/environment.hpp"
#include "remote/role_key.hpp"
#include "remote/sigv4.hpp"
#include "remote/url.hpp"

namespace octavo::remote {

/// The address of a file. Only its name is for messages.
struct RemoteFile {
  std::string name;                   ///< as the user wrote it, without secrets
  Url url;                            ///< http or https
  AccessKey key;                      ///< signs requests, if it is set
  std::shared_ptr<RoleKey> role_key;  ///< without `key`: signs them, if it is set and the machine has the role
  std::string region;
  bool is_region_chosen = false;  ///< by the user, so that it is not replaced
  std::string bearer_token;       ///< empty: none
  std::string authorities;        ///< a file of those that sign certificates; empty: those of the system
  std::string credentials;        ///< for messages: which credentials are used, and what to do if they are refused

  /// The headers that authorize a request, as lines without their end. May wait for the service of a role. Throws
  /// IoError.
  std::vector<std::string> authorization(std::time_t now) const;
};

/// Finds the address of a location that is_url() accepts, and its credentials, in the environment and the files that it
/// names. Throws InvalidArgument for an invalid location or setting, IoError if a file of settings cannot be read.
RemoteFile locate(const std::string& location, const SourceOptions& options,
                  const Environment& environment = process_environment);

/// The file `name` in the same folder, with the same credentials.
RemoteFile sibling_of(const RemoteFile& file, const std::string& name);
/// The same file of an S3 bucket in another region.
RemoteFile in_region(const RemoteFile& file, const std::string& region);

}  // namespace octavo::remote
