#include "kml/engine/in_cluster/rights.h"

#include "kml/kube/objects/object.h"

namespace kml::engine {

Error with_rights_to_ask_for(Error error, const Json& object, const std::string& page) {
  if (error.http_status == 403 && api::api_version_of(object).starts_with("rbac."))
    error.fix =
        "ask for the role \"admin\" in that namespace, or for a service account with the rights listed in " +
        page + ", given as --engine-account NAME";
  return error;
}

}  // namespace kml::engine
