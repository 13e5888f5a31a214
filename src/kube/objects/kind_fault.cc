#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::api {

std::optional<FieldFault> kind_fault(const Json& object) {
  const std::string version = api_version_of(object), kind = kind_name(object);
  std::vector<std::string> kinds, versions;
  for (const ResourceKind& known : known_kinds()) {
    if (known.api_version() == version) kinds.emplace_back(known.kind);
    if (known.kind == kind) versions.push_back(known.api_version());
  }
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return {};
  if (const auto near = nearest(kind, kinds))
    return FieldFault{{"kind"},
                      "kind",
                      "\"" + kind + "\" is not a kind of " + version + "; did you mean " + *near + "?",
                      false};
  // A group with a dot may have its own kind with that name. Only Kubernetes' own groups have no dot.
  if (versions.empty() || version.substr(0, version.find('/')).find('.') != std::string::npos) return {};
  return FieldFault{{"apiVersion"},
                    "apiVersion",
                    "\"" + version + "\" does not have " + kind + "s; did you mean " + versions[0] + "?",
                    false};
}

}  // namespace kml::api
