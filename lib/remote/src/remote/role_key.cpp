#include "remote/role_key.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include <octavo/errors.hpp>

#include "remote/curl_handles.hpp"
#include "remote/per_process.hpp"
#include "remote/url.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"

namespace octavo::remote {
namespace {

constexpr std::size_t kMostReplyBytes = std::size_t{1} << 20;
constexpr std::int64_t kMostTokenBytes = std::int64_t{1} << 16;
/// A key is replaced this long before it expires.
constexpr std::time_t kSpareSeconds = 300;
/// After a failure, the service is not asked for this long.
constexpr std::time_t kRetrySeconds = 20;

// ---- Requests ------------------------------------------------------------------

struct Request {
  std::string url;
  std::string method = "GET";
  std::string body = {};  ///< of a POST
  std::vector<std::string> headers = {};
  std::string authorities = {};  ///< a file of those that sign certificates; empty: those of the system
  int seconds = 10;
};

struct Reply {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body = {};

  bool is_good() const { return code == CURLE_OK && status == 200; }
};

std::size_t on_bytes(const char* bytes, std::size_t, std::size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + count > kMostReplyBytes) return 0;
  body.append(bytes, count);
  return count;
}

Reply ask(const Request& request) {
  const CurlEasy easy = make_easy();
  CurlHeaders headers;
  for (const std::string& header : request.headers) append(headers, header);
  Reply reply;
  CURL* const curl = easy.get();
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  // What is not encrypted stays on this machine and its network.
  if (!request.url.starts_with("https://")) curl_easy_setopt(curl, CURLOPT_PROXY, "");
  if (!request.authorities.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, request.authorities.c_str());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, static_cast<long>(request.seconds));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(std::min(request.seconds, 5)));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  if (request.method == "POST") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
  } else {
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &on_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
  reply.code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

[[noreturn]] void fail(const std::string& role, const std::string& problem) {
  throw IoError("get a key of " + role + ": " + problem +
                "; check the role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
}

std::string text_of(const Reply& reply) {
  if (reply.code != CURLE_OK) return curl_easy_strerror(reply.code);
  return reply.status == 200 ? "the answer has no key" : "status " + std::to_string(reply.status);
}

// ---- Keys ----------------------------------------------------------------------

struct TimedKey {
  AccessKey key = {};
  std::time_t expires = 0;
};

/// Nothing if the key is not complete, or could break the headers of a request.
std::optional<TimedKey> checked(AccessKey key, const std::string& expiration) {
  std::tm time = {};
  const bool has_time = ::strptime(expiration.c_str(), "%Y-%m-%dT%H:%M:%S", &time) != nullptr;
  for (const std::string& text : {key.id, key.secret, key.session_token}) {
    if (!std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; })) return std::nullopt;
  }
  if (!key || !has_time) return std::nullopt;
  return TimedKey{std::move(key), ::timegm(&time)};
}

/// The answer of the services of containers and instances.
std::optional<TimedKey> key_in_json(const Reply& reply) {
  if (!reply.is_good()) return std::nullopt;
  try {
    const Json json = parse_strict_json(reply.body);
    const auto text = [&](const char* name) { return json.at(name).get<std::string>(); };
    return checked({text("AccessKeyId"), text("SecretAccessKey"), text("Token")}, text("Expiration"));
  } catch (const FormatError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// The answer of the Security Token Service, which has each element once.
std::optional<TimedKey> key_in_xml(const Reply& reply) {
  if (!reply.is_good()) return std::nullopt;
  const auto text = [&](const std::string& name) -> std::string {
    const std::size_t begin = reply.body.find("<" + name + ">"), end = reply.body.find("</" + name + ">");
    if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
    return reply.body.substr(begin + name.size() + 2, end - begin - name.size() - 2);
  };
  return checked({text("AccessKeyId"), text("SecretAccessKey"), text("SessionToken")}, text("Expiration"));
}

/// Asks for keys; nothing if there is no role. Throws IoError.
using AskForKey = std::function<std::optional<TimedKey>()>;

class AskedRoleKey : public RoleKey {
 public:
  explicit AskedRoleKey(AskForKey ask_for_key)
      : ask_(std::move(ask_for_key)), state_([] { return std::make_unique<State>(); }) {}

  AccessKey get() override {
    State& state = state_.get();
    const std::lock_guard lock(state.mutex);
    const std::time_t now = std::time(nullptr);
    if (now < state.ask_again) return key_in(state);
    const bool has_valid_key = state.found && now < state.found->expires;
    std::optional<TimedKey> found;
    try {
      found = ask_();
    } catch (const IoError&) {
      if (!has_valid_key) throw;
    }
    if (!found && state.found) {  // the old key serves until it expires
      if (!has_valid_key) {
        throw IoError(
            "get a new key of a role: the old one has expired, and the service that gave it does not answer; "
            "check the role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
      }
      state.ask_again = now + kRetrySeconds;
      return key_in(state);
    }
    state.found = found;
    state.ask_again = found ? found->expires - kSpareSeconds : std::numeric_limits<std::time_t>::max();
    return key_in(state);
  }

 private:
  struct State {
    std::mutex mutex;
    std::time_t ask_again = 0;
    std::optional<TimedKey> found;
  };
  static AccessKey key_in(const State& state) { return state.found ? state.found->key : AccessKey{}; }

  AskForKey ask_;
  PerProcess<State> state_;
};

std::string read_token(const std::string& path, const std::string& role) {
  try {
    std::string token = read_whole_file(path, kMostTokenBytes);
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    if (!token.empty()) return token;
  } catch (const Error&) {  // below
  }
  fail(role, "the file of its token, " + quoted(path) + ", cannot be read or is empty");
}

// ---- The services --------------------------------------------------------------

std::string form_encoded(const std::string& text) {
  std::string encoded = percent_encoded(text);
  for (std::size_t at = 0; (at = encoded.find('/', at)) != std::string::npos;) encoded.replace(at, 1, "%2F");
  return encoded;
}

/// A pod of EKS with a service account: its token is exchanged for a key.
AskForKey ask_for_web_identity(const Environment& environment, const std::string& region, const std::string& role) {
  const std::string host = "sts." + region + ".amazonaws.com" + (region.starts_with("cn-") ? ".cn" : "");
  const std::string service = environment("AWS_ENDPOINT_URL_STS").value_or("https://" + host);
  if (!environment("AWS_ENDPOINT_URL_STS") && parse_url(service).host != host)
    throw InvalidArgument("use the region " + quoted(region) + ": not a region; expected one as us-east-1");
  static_cast<void>(parse_url(service));
  const std::string file = *environment("AWS_WEB_IDENTITY_TOKEN_FILE"), arn = *environment("AWS_ROLE_ARN");
  const std::string session = environment("AWS_ROLE_SESSION_NAME").value_or("octavo");
  const std::string authorities = environment("CURL_CA_BUNDLE").value_or(environment("SSL_CERT_FILE").value_or(""));
  return [=] {
    const Reply reply =
        ask({.url = service,
             .method = "POST",
             .body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_encoded(arn) +
                     "&RoleSessionName=" + form_encoded(session) +
                     "&WebIdentityToken=" + form_encoded(read_token(file, role)),
             .authorities = authorities});
    auto key = key_in_xml(reply);
    if (!key) fail(role, text_of(reply));
    return key;
  };
}

/// A container of ECS, or a pod of EKS.
AskForKey ask_for_container(const Environment& environment, const std::string& role) {
  const auto relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string address =
      relative ? "http://169.254.170.2" + *relative : *environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  const Url url = parse_url(address);
  // As in the SDKs: plain HTTP does not leave the machine.
  const bool is_local = url.host == "localhost" || url.host.starts_with("127.") || url.host == "[::1]" ||
                        url.host == "169.254.170.2" || url.host == "169.254.170.23" || url.host == "[fd00:ec2::23]";
  if (url.scheme != "https" && !is_local) {
    throw InvalidArgument("use AWS_CONTAINER_CREDENTIALS_FULL_URI: " + quoted(url.public_name()) +
                          " is neither https nor on this machine; correct it or unset it");
  }
  const std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  const std::string token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").value_or("");
  return [=] {
    const std::string sent = token_file.empty() ? token : read_token(token_file, role);
    if (sent.find_first_of("\r\n") != std::string::npos) fail(role, "the token for its service has several lines");
    Request request{.url = address};
    if (!sent.empty()) request.headers = {"Authorization: " + sent};
    const Reply reply = ask(request);
    auto key = key_in_json(reply);
    if (!key) fail(role, text_of(reply));
    return key;
  };
}

/// An instance of EC2. Other machines do not answer, and have no role.
AskForKey ask_for_instance(const Environment& environment, const std::string& role) {
  std::string service = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or("http://169.254.169.254");
  static_cast<void>(parse_url(service));
  while (service.ends_with('/')) service.pop_back();
  return [=]() -> std::optional<TimedKey> {
    constexpr int kSeconds = 1;  // a machine without the service may not even refuse
    const Reply token = ask({.url = service + "/latest/api/token",
                             .method = "PUT",
                             .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 300"},
                             .seconds = kSeconds});
    if (!token.is_good() || token.body.find_first_of("\r\n") != std::string::npos) return std::nullopt;
    const std::vector<std::string> headers = {"X-aws-ec2-metadata-token: " + token.body};
    const std::string roles = service + "/latest/meta-data/iam/security-credentials/";
    const Reply names = ask({.url = roles, .headers = headers});
    const std::string name = names.body.substr(0, names.body.find('\n'));
    if (names.status == 404 || (names.is_good() && name.empty())) return std::nullopt;
    if (!names.is_good()) fail(role, text_of(names));
    const Reply reply = ask({.url = roles + percent_encoded(name), .headers = headers});
    auto key = key_in_json(reply);
    if (!key) fail(role, text_of(reply));
    return key;
  };
}

}  // namespace

NamedRole find_role(const Environment& environment, const std::string& region, bool asks_machine) {
  const auto named = [](std::string name, AskForKey ask_for_key) -> NamedRole {
    return {std::make_shared<AskedRoleKey>(std::move(ask_for_key)), std::move(name)};
  };
  if (environment("AWS_WEB_IDENTITY_TOKEN_FILE") && environment("AWS_ROLE_ARN")) {
    const std::string role = "the role AWS_ROLE_ARN";
    return named(role, ask_for_web_identity(environment, region, role));
  }
  if (environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
    const std::string role = "the role of this container";
    return named(role, ask_for_container(environment, role));
  }
  const std::string disabled = environment("AWS_EC2_METADATA_DISABLED").value_or("false");
  if ((!asks_machine && !environment("AWS_EC2_METADATA_SERVICE_ENDPOINT")) || disabled == "true") return {};
  const std::string role = "the role of this instance";
  return named(role, ask_for_instance(environment, role));
}

}  // namespace octavo::remote
