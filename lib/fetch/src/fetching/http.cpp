#include "fetching/http.hpp"

#include <utility>

namespace octavo {
namespace {

HttpClient& chosen_client() {
  static HttpClient client;
  return client;
}

}  // namespace

void set_http_client(HttpClient client) { chosen_client() = std::move(client); }

bool has_http_client() { return chosen_client() || fetching::has_curl(); }

namespace fetching {

HttpOutcome get(const HttpRequest& request, HttpReceiver& receiver) {
  return chosen_client() ? chosen_client()(request, receiver) : get_with_curl(request, receiver);
}

}  // namespace fetching
}  // namespace octavo
