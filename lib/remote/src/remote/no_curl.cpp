// Replaces curl_transfers.cpp and role_key.cpp in a build without libcurl.
#include <octavo/errors.hpp>

#include "remote/role_key.hpp"
#include "remote/transfers.hpp"
#include "support/file.hpp"

namespace octavo::remote {

std::shared_ptr<Transfers> make_transfers(const RemoteFile& file, const SourceOptions&) {
  throw Unavailable("open " + quoted(file.name) +
                    ": this build lacks libcurl; install libcurl4-openssl-dev and build again, or download the file "
                    "with another program");
}

NamedRole find_role(const Environment&, const std::string&, bool) { return {}; }

}  // namespace octavo::remote
