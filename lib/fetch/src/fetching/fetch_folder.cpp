#include "fetching/fetch_folder.hpp"

#include <unistd.h>

#include <system_error>

#include <octavo/errors.hpp>

namespace octavo::fetching {

FetchFolder::FetchFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  is_made_ = std::filesystem::create_directories(path_, error);
  if (error) throw_io_error("make the folder", path_, error.value());
  const std::filesystem::path lock_path = path_ / ".octavo-fetch.lock";
  lock_.emplace(lock_path, "fetch into " + quoted(path_) + ": another fetch is at work there (it holds the lock " +
                               quoted(lock_path) + "); wait for it to end");
}

FetchFolder::~FetchFolder() {
  lock_.reset();
  if (is_made_) ::rmdir(path_.c_str());  // fails harmlessly if the folder is not empty
}

}  // namespace octavo::fetching
