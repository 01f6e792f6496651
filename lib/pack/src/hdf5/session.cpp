#include "hdf5/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace octavo::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Disables HDF5's exit handler, which was seen to crash after H5Fclose failed on a full disk; all files here are
/// closed explicitly. If the host program has used the library before, this call fails harmlessly and the handler
/// stays.
void prepare_library() {
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
}

herr_t keep_description(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr && *error->desc != '\0') *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string innermost_description() {
  std::string reason = "no reason given";
  // Walk downward from the API call to the call that failed first, and keep its description.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, &keep_description, &reason);
  return reason;
}

/// If a system call failed, HDF5 reports time, descriptor, address and more; the system's message is enough.
std::string shortened(const std::string& reason) {
  constexpr std::string_view kSystemWords = "error message = '";
  const std::size_t at = reason.find(kSystemWords);
  if (at == std::string::npos) return reason;
  const std::string words = reason.substr(at + kSystemWords.size());
  const std::string brief = words.substr(0, words.find('\''));
  return brief == "No space left on device" ? brief + "; free some space or choose another folder" : brief;
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  prepare_library();
  H5Eget_auto2(H5E_DEFAULT, &previous_print_, &previous_print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, previous_print_, previous_print_data_); }

void take_over_after_fork() {
  // The mutex is held by a thread of the parent, which cannot release it here, so construct a new one.
  new (&library_mutex()) std::recursive_mutex;
}

std::string last_error() {
  std::string reason = innermost_description();
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return shortened(reason);
}

int last_system_error() {
  constexpr std::string_view kErrno = "errno = ";
  const std::string reason = innermost_description();
  const std::size_t at = reason.find(kErrno);
  return at == std::string::npos ? 0 : std::atoi(reason.c_str() + at + kErrno.size());
}

}  // namespace octavo::hdf5
