#include "jobs/why/causes.h"

#include <fmt/format.h>

#include "kml/jobs/views/kinds.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

namespace {

struct NamedKind {
  CauseCode code;
  std::string_view not_found;  ///< before the name in quotes; the kubelet and its volumes spell them so
  std::string_view no_key;     ///< between the key and the namespace
  std::string_view word;
  std::string_view create;  ///< kubectl's way to make one
};
constexpr NamedKind kKinds[] = {
    {CauseCode::secret_missing, "secret \"", " in Secret ", "Secret",
     "kubectl -n {} create secret generic {} --from-literal=KEY=VALUE"},
    {CauseCode::config_map_missing, "configmap \"", " in ConfigMap ", "ConfigMap",
     "kubectl -n {} create configmap {} --from-literal=KEY=VALUE"},
    {CauseCode::volume_missing, "persistentvolumeclaim \"", "", "volume claim",
     R"(echo '{{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{{"name":"{1}"}},"spec":{{"accessModes":)"
     R"(["ReadWriteOnce"],"resources":{{"requests":{{"storage":"10Gi"}}}}}}}}' | kubectl -n {0} create -f -)"},
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
       fmt::format(fmt::runtime(kind.create), namespace_name, name)}};
  if (is_claim)
    cause.remedies.push_back(
        {"or mount an existing one", fmt::format("kubectl -n {} get pvc", namespace_name)});
  return cause;
}

/// It went with what it was made for.
Cause missing_code(const std::string& namespace_name, const std::string& name) {
  Cause cause = make_cause(CauseCode::secret_missing, "its code is gone",
                           fmt::format("Secret {} with the code of --code is no longer in namespace {}: it "
                                       "was deleted with its job or sweep",
                                       name, namespace_name));
  cause.remedies = {{"submit it again with its code", "kml submit --code FOLDER ..."}};
  return cause;
}

Cause missing_key(const NamedKind& kind, const std::string& key, const std::string& where) {
  return make_cause(kind.code, fmt::format("no key {} in {} {}", key, kind.word, where),
                    fmt::format("{} {} has no key {}", kind.word, where, key));
}

}  // namespace

std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name) {
  constexpr std::string_view kKey = "find key ";
  for (const NamedKind& kind : kKinds) {
    if (const size_t at = message.find(kind.not_found);
        at != std::string::npos && message.find("\" not found", at) != std::string::npos) {
      const std::string name = until(std::string_view(message).substr(at + kind.not_found.size()), "\"");
      const bool is_code = kind.code == CauseCode::secret_missing && is_code_secret(name);
      Cause cause = is_code ? missing_code(namespace_name, name) : missing(kind, namespace_name, name);
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

}  // namespace kml::jobs
