#include "job/why/causes.h"

#include <fmt/format.h>

#include "kml/base/text.h"
#include "kml/job/packages/locked.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/cause.h"

namespace kml::job {

namespace {

struct NamedKind {
  CauseCode code;
  /// the text before the quoted name, as the kubelet and its volume plugins spell it
  std::string_view not_found;
  std::string_view no_key;  ///< the text between the key and the namespace
  std::string_view word;
  std::string_view listed;  ///< the kind's name in `kml list`
  const char* kind;
  const char* rest;  ///< an example of the object's content, without the name
};
constexpr NamedKind kKinds[] = {
    {CauseCode::secret_missing, "secret \"", " in Secret ", "Secret", "secrets", "Secret",
     R"({"stringData":{"KEY":"VALUE"}})"},
    {CauseCode::config_map_missing, "configmap \"", " in ConfigMap ", "ConfigMap", "configmaps", "ConfigMap",
     R"({"data":{"KEY":"VALUE"}})"},
    {CauseCode::volume_missing, "persistentvolumeclaim \"", "", "volume claim", "claims",
     "PersistentVolumeClaim",
     R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"10Gi"}}}})"},
};

std::string until(std::string_view text, std::string_view ends) {
  return std::string(text.substr(0, text.find_first_of(ends)));
}

Cause missing(const NamedKind& kind, const std::string& namespace_name, const std::string& name) {
  Cause cause =
      make_cause(kind.code, fmt::format("no {} {}", kind.word, name),
                 fmt::format("{} {} does not exist in namespace {}", kind.word, name, namespace_name));
  const bool is_claim = kind.code == CauseCode::volume_missing;
  cause.remedies = {
      {is_claim ? "create it with the size and access mode that you need; the pod then starts by itself"
                : "create it; the pod then starts by itself",
       command_to_make(kind.kind, namespace_name, name, Json::parse(kind.rest))},
      {is_claim ? "or mount an existing one" : "or name an existing one",
       fmt::format("kml list {} -n {}", kind.listed, namespace_name)}};
  return cause;
}

/// The cause if the object is being deleted. It cannot be created again until it is gone.
Cause leaving(const NamedKind& kind, const std::string& namespace_name, const std::string& name) {
  Cause cause =
      make_cause(kind.code, fmt::format("{} {} is being deleted", kind.word, name),
                 fmt::format("{} {} is being deleted in namespace {}", kind.word, name, namespace_name));
  cause.remedies = {
      {kind.code == CauseCode::volume_missing
           ? "mount another one; or end the pods that still mount it, and create it again once it is gone"
           : "name another one; or create it again once it is gone",
       fmt::format("kml list {} -n {}", kind.listed, namespace_name)}};
  return cause;
}

/// The cause if the Secret with the job's code was deleted together with its job or sweep.
Cause missing_code(const std::string& namespace_name, const std::string& name) {
  Cause cause = make_cause(CauseCode::secret_missing, "its code is deleted",
                           fmt::format("Secret {} with the code of --code is no longer in namespace {}: it "
                                       "was deleted with its job or sweep",
                                       name, namespace_name));
  cause.remedies = {{"submit it again with its code", "kml submit --code FOLDER ..."}};
  return cause;
}

/// The cause if the Secret with the lock of the job's packages was deleted.
Cause missing_packages(const std::string& namespace_name, const std::string& name) {
  Cause cause =
      make_cause(CauseCode::secret_missing, "its list of packages is deleted",
                 fmt::format("Secret {} with the packages of --uv, --requirements or --conda is no longer in "
                             "namespace {}: it was deleted with its job or sweep",
                             name, namespace_name));
  cause.remedies = {{"submit it again with its packages", "kml submit ..."}};
  return cause;
}

Cause missing_key(const NamedKind& kind, const std::string& key, const std::string& where) {
  return make_cause(kind.code, fmt::format("no key {} in {} {}", key, kind.word, where),
                    fmt::format("{} {} has no key {}", kind.word, where, key));
}

}  // namespace

std::string command_to_make(const char* kind, const std::string& namespace_name, const std::string& name,
                            const Json& rest) {
  Json object = {{"apiVersion", "v1"}, {"kind", kind}, {"metadata", {{"name", name}}}};
  object.update(rest);
  return fmt::format("echo {} | kml submit -n {} -f -", shell_quoted(std::vector{object.dump()}),
                     namespace_name);
}

std::string command_to_make_priority_class(const std::string& name) {
  const Json object = {{"apiVersion", "scheduling.k8s.io/v1"},
                       {"kind", "PriorityClass"},
                       {"metadata", {{"name", name}}},
                       {"value", 1000}};
  return "echo " + shell_quoted(std::vector{object.dump()}) + " | kml submit -f -";
}

std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name) {
  constexpr std::string_view kKey = "find key ";
  // this text is in messages of the scheduler's plugin VolumeBinding
  constexpr std::string_view kLeaving = "\" is being deleted";
  for (const NamedKind& kind : kKinds) {
    const size_t at = message.find(kind.not_found);
    const bool is_leaving = message.find(kLeaving, at) != std::string::npos;
    if (at != std::string::npos && (is_leaving || message.find("\" not found", at) != std::string::npos)) {
      const std::string name = until(std::string_view(message).substr(at + kind.not_found.size()), "\"");
      const bool is_code = kind.code == CauseCode::secret_missing && is_code_secret(name);
      const bool is_packages =
          kind.code == CauseCode::secret_missing && name.starts_with(packages::kSecretPrefix);
      Cause cause = is_code       ? missing_code(namespace_name, name)
                    : is_packages ? missing_packages(namespace_name, name)
                    : is_leaving  ? leaving(kind, namespace_name, name)
                                  : missing(kind, namespace_name, name);
      cause.message = message;
      return cause;
    }
    const size_t key = message.find(kKey), in = message.find(kind.no_key);
    if (kind.no_key.empty() || key == std::string::npos || in == std::string::npos || in < key) continue;
    Cause cause = missing_key(kind, message.substr(key + kKey.size(), in - key - kKey.size()),
                              until(std::string_view(message).substr(in + kind.no_key.size()), " ,:"));
    cause.message = message;
    return cause;
  }
  return {};
}

}  // namespace kml::job
