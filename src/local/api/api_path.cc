#include "local/api/api_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "local/api/api_error.h"

namespace kml::local {

namespace {

constexpr std::string_view kServed[] = {"Namespace",     "Node",
                                        "Pod",           "Event",
                                        "Secret",        "ConfigMap",
                                        "Service",       "ServiceAccount",
                                        "Job",           "CronJob",
                                        "PyTorchJob",    "Deployment",
                                        "ReplicaSet",    "PersistentVolumeClaim",
                                        "PriorityClass", "ResourceQuota",
                                        "PodGroup",      "Workload"};

Error no_such_path(std::string_view path) {
  return api_error(
      404, "NotFound",
      fmt::format("the server could not find the requested resource: kml's embedded server has no {}", path));
}

}  // namespace

bool is_served(const api::ResourceKind& kind) {
  return std::find(std::begin(kServed), std::end(kServed), kind.kind) != std::end(kServed);
}

ApiPath parse_api_path(std::string_view path) {
  std::vector<std::string> parts = split(path.substr(std::min<size_t>(1, path.size())), '/');
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  // Rejects "namespaces//pods", because a client's empty variable must not mean all namespaces.
  if (std::find(parts.begin(), parts.end(), "") != parts.end()) throw no_such_path(path);
  size_t at = 0;
  auto next = [&] { return at < parts.size() ? parts[at++] : std::string(); };

  const std::string root = next();
  if (root != "api" && root != "apis") throw no_such_path(path);
  const std::string group = root == "apis" ? next() : "";
  const std::string version = next();
  ApiPath found;
  std::string plural = next();
  // "namespaces/x" is an object, "namespaces/x/pods" is a collection in it; "status" and "finalize" are
  // subresources of the namespace.
  if (plural == "namespaces" && parts.size() > at + 1 && parts[at + 1] != "status" &&
      parts[at + 1] != "finalize") {
    found.namespace_name = next();
    plural = next();
  }
  found.kind = api::find_kind_by_plural(group, version, plural);
  if (!found.kind || !is_served(*found.kind)) throw no_such_path(path);
  found.name = next();
  found.subresource = next();
  if (at < parts.size() || (found.kind->namespaced ? !found.name.empty() && found.namespace_name.empty()
                                                   : !found.namespace_name.empty()))
    throw no_such_path(path);
  return found;
}

}  // namespace kml::local
