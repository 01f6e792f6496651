// Fuzzes URLs, the answers of servers, and the files of settings of object stores.
#include <algorithm>

#include "remote/answer.hpp"
#include "remote/profile_file.hpp"
#include "remote/url.hpp"
#include "support/fuzz_target.hpp"

using namespace octavo;

namespace {

void run_answer(std::string_view text) {
  remote::Answer answer;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!answer.take_line(rest.substr(0, end))) break;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto failure = remote::check_answer(answer, {}, {}, 0, 10, text);
  // An accepted answer has the requested bytes.
  if (!failure && (answer.content_range->first != 0 || answer.content_range->last > 9)) __builtin_trap();
}

void run_url(const std::string& text) {
  const remote::Url url = remote::parse_url(text);
  // What is sent is a URL again, of the same place.
  if (remote::parse_url(url.address()).address() != url.address()) __builtin_trap();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(fuzz::bytes_of(data, size));
  return fuzz::run_input([&] {
    if (const auto range = remote::parse_content_range(text)) {
      if (range->first > range->last || range->last >= range->total) __builtin_trap();
    }
    run_answer(text);
    static_cast<void>(remote::parse_profiles(text));
    if (remote::without_secrets(text).find('?') != std::string::npos) __builtin_trap();
    run_url(text);  // last: it throws for what is no URL
    return true;
  });
}
