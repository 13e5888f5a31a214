// Each field of a kubeconfig with any value: the first byte selects the field. A value of another type,
// except null, is rejected, with the field's name and without the value.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "fuzz/input.h"
#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

using namespace kml;

namespace {

constexpr const char* kSecret = "s3cret";

const Json kSample = Json::parse(R"({
  "apiVersion": "v1", "kind": "Config", "current-context": "c",
  "clusters": [{"name": "c", "cluster": {
    "server": "https://c", "tls-server-name": "c", "insecure-skip-tls-verify": false,
    "certificate-authority": "ca", "certificate-authority-data": "AAAA", "proxy-url": "http://p",
    "disable-compression": true, "extensions": []}}],
  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "n", "extensions": []}}],
  "users": [{"name": "u", "user": {
    "client-certificate": "c", "client-certificate-data": "AAAA", "client-key": "k", "client-key-data": "AAAA",
    "token": "t", "tokenFile": "t", "as": "a", "as-uid": "1", "as-groups": ["g"],
    "as-user-extra": {"reason": ["r"]}, "username": "u", "password": "p",
    "auth-provider": {"name": "oidc", "config": {"id-token": "i"}},
    "exec": {"apiVersion": "v1", "command": "c", "args": ["a"], "env": [{"name": "N", "value": "v"}],
             "installHint": "h", "provideClusterInfo": true, "interactiveMode": "Never"}}}]
})");

void add_places(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& places) {
  if (!at.empty()) places.push_back(at);
  for (const auto& [key, part] : value.items())
    if (value.is_structured()) add_places(part, value.is_array() ? at / size_t{0} : at / key, places);
}

/// The name of the field at this path. For an item of a list, the name of the list.
std::string field_of(Json::json_pointer place) {
  while (place.back().find_first_not_of("0123456789") == std::string::npos) place.pop_back();
  return place.back();
}

/// An error may show other texts, such as the name of a context that does not exist.
bool is_secret(std::string_view field) {
  constexpr std::string_view kSecrets[] = {"token", "password", "client-key-data", "id-token", "value"};
  return std::ranges::find(kSecrets, field) != std::ranges::end(kSecrets);
}

/// The value in the input. If it is a text, or directly contains texts, kSecret takes their place.
Json value_of(std::string_view text) {
  Json value = yaml::to_json(yaml::parse_one(text, "value"), "value");
  for (Json& part : value)
    if (part.is_string()) part = kSecret;
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("kubeconfig", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  static const std::vector<Json::json_pointer> places = [] {
    std::vector<Json::json_pointer> all;
    add_places(kSample, Json::json_pointer(), all);
    return all;
  }();
  if (size == 0) return 0;
  const Json::json_pointer& place = places[data[0] % places.size()];
  Json config = kSample, value;
  try {
    value = value_of(fuzz::text_of(data + 1, size - 1));
  } catch (const Error&) {
    return 0;
  }
  const Json::value_t wanted = kSample.at(place).type();
  config[place] = value;
  const std::string text = config.dump(-1, ' ', false, Json::error_handler_t::replace);
  fuzz::require(ftruncate(file, 0) == 0 &&
                pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  try {
    kube::find_target({.kubeconfig = path});
    fuzz::require(value.type() == wanted || value.is_null());
  } catch (const Error& error) {
    const bool may_show = value.type() == wanted && !is_secret(field_of(place));
    fuzz::require(may_show || describe(error).find(kSecret) == std::string::npos);
    const bool is_named = std::ranges::any_of(error.problems, [&](const Problem& problem) {
      return problem.line > 0 && (problem.path + problem.text).find(field_of(place)) != std::string::npos;
    });
    fuzz::require(value.type() == wanted || value.is_null() || is_named);
  }
  return 0;
}
