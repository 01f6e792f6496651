// Keys of the role that AWS gives to a machine, a container or a pod.
#pragma once

#include <memory>
#include <string>

#include "remote/environment.hpp"
#include "remote/sigv4.hpp"

namespace octavo::remote {

/// The key of a role, which expires after some hours. Thread-safe, and usable in a child of fork().
class RoleKey {
 public:
  virtual ~RoleKey() = default;
  /// The key, asked for at first and again before it expires. Empty if this machine has no role. Throws IoError if the
  /// service of a role that was named does not answer, or gives none; the message has no secrets.
  virtual AccessKey get() = 0;
};

/// A role, and which one it is, for messages.
struct NamedRole {
  std::shared_ptr<RoleKey> key;  ///< null: none is named
  std::string name;
};

/// The role that the environment names, as the SDKs of AWS find it: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN (pods
/// of EKS), else AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI (ECS, and pods of EKS);
/// else, if `asks_machine`, that of the instance of EC2. Throws InvalidArgument for an invalid address. A build without
/// libcurl finds none.
NamedRole find_role(const Environment& environment, const std::string& region, bool asks_machine);

}  // namespace octavo::remote
