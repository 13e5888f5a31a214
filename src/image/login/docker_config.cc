#include "image/login/docker_config.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/kube/kubeconfig/plugin_policy.h"

namespace kml::image {

namespace {

namespace fs = std::filesystem;
using registry::Credentials;

constexpr size_t kLargestLogins = size_t{4} << 20, kLongestOutput = size_t{1} << 20;
constexpr std::chrono::seconds kHelperTime{60};
constexpr std::string_view kHub = "docker.io";
/// The name under which Docker keeps the credentials for Docker Hub.
constexpr const char* kHubKey = "https://index.docker.io/v1/";
/// The user name by which Docker marks a secret as a refresh token.
constexpr std::string_view kTokenUser = "<token>";

fs::path config_file() {
  const std::string folder = environment("DOCKER_CONFIG");
  return (folder.empty() ? fs::path(environment("HOME")) / ".docker" : fs::path(folder)) / "config.json";
}

Error config_error(const fs::path& file, const std::string& why) {
  return usage_error("cannot use the logins in " + file.string(), why, "correct the file, or log in again");
}

Json read_logins(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return Json::object();
  // kml runs programs that this file specifies, so the file must belong to the user.
  Json config = Json::parse(read_own_file(file, kLargestLogins), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) throw config_error(file, "it is not a JSON object");
  return config;
}

/// The registry of a key such as "registry.example", "https://registry.example/v2/" or Docker Hub's. Empty
/// for a key of one repository.
std::string host_of_key(std::string_view key) {
  if (const size_t scheme = key.find("://"); scheme != key.npos) key.remove_prefix(scheme + 3);
  const size_t slash = std::min(key.find('/'), key.size());
  const std::string_view path = key.substr(slash);
  for (const std::string_view known : {"", "/", "/v1", "/v1/", "/v2", "/v2/"})
    if (path == known) {
      const std::string host(key.substr(0, slash));
      return host == "index.docker.io" || host == "registry-1.docker.io" ? std::string(kHub) : host;
    }
  return {};
}

Credentials credentials_of(const std::string& user, const std::string& secret) {
  if (user == kTokenUser) return {.identity_token = secret};
  return {.user = user, .password = secret};
}

/// An entry of `auths` (github.com/docker/cli, cli/config/types/authconfig.go).
Credentials in_entry(const Json& entry, const fs::path& file) {
  if (const std::string token = string_at(entry, {"registrytoken"}); !token.empty())
    return {.access_token = token};
  if (const std::string token = string_at(entry, {"identitytoken"}); !token.empty())
    return {.identity_token = token};
  const std::string user = string_at(entry, {"username"}), encoded = string_at(entry, {"auth"});
  if (encoded.empty()) return credentials_of(user, string_at(entry, {"password"}));
  const std::optional<std::string> text = base64_decoded(encoded);
  const size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos)
    throw config_error(file, "the \"auth\" of a login is not USER:PASSWORD in base64");
  std::string password = text->substr(colon + 1);
  password.resize(password.find_last_not_of('\0') + 1);  // older versions of Docker appended zero bytes
  return credentials_of(text->substr(0, colon), password);
}

Credentials in_auths(const Json& config, const std::string& host, const fs::path& file) {
  for (const auto& [key, entry] : object_at(config, {"auths"}).items())
    if (host_of_key(key) == host)
      if (Credentials found = in_entry(entry, file); found.are_any()) return found;
  return {};
}

/// The helper for the registry: NAME of docker-credential-NAME. Empty if it has none.
std::string helper_for(const Json& config, const std::string& host) {
  for (const auto& [key, name] : object_at(config, {"credHelpers"}).items())
    if (host_of_key(key) == host && name.is_string()) return name;
  return string_at(config, {"credsStore"});
}

bool is_helper_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_' ||
           c == '.';
  });
}

/// Runs a helper as Docker does (github.com/docker/docker-credential-helpers): it reads the registry's name
/// from standard input. Empty if it has no credentials for the registry.
Credentials by_helper(const std::string& name, const std::string& host, const fs::path& file) {
  if (!is_helper_name(name))
    throw config_error(file, "the name of its credential helper is invalid: " + name);
  const std::string program = "docker-credential-" + name;
  kube::check_plugin_policy(program);
  const ProcessResult result = run_process({program, "get"}, {.limit = kLongestOutput,
                                                              .ends_at_limit = true,
                                                              .input = host == kHub ? kHubKey : host,
                                                              .inherit_errors = true,
                                                              .time_limit = kHelperTime});
  const auto failed = [&](const std::string& why) {
    return Error(ErrorCode::auth, "cannot get credentials for " + host + " from " + program, why,
                 "correct credsStore and credHelpers in " + file.string() + ", or log in again");
  };
  if (result.start_errno != 0) throw failed("it is not installed");
  if (result.timed_out) throw failed("it did not finish within " + short_duration(kHelperTime));
  if (result.is_too_long) throw failed("it printed more than " + size_text(kLongestOutput));
  if (result.exit_code != 0 && contains(result.out, "credentials not found")) return {};
  if (result.exit_code != 0) throw failed("it exited with code " + std::to_string(result.exit_code));
  const Json answer = Json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  Credentials found = credentials_of(string_at(answer, {"Username"}), string_at(answer, {"Secret"}));
  if (!found.are_any()) throw failed("its output lacks Username or Secret");
  return found;
}

}  // namespace

Credentials docker_credentials(const std::string& host) {
  const fs::path file = config_file();
  const Json config = read_logins(file);
  if (const std::string helper = helper_for(config, host); !helper.empty())
    if (Credentials found = by_helper(helper, host, file); found.are_any()) return found;
  return in_auths(config, host, file);
}

}  // namespace kml::image
