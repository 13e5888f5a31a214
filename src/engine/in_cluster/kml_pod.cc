#include "engine/in_cluster/kml_pod.h"

#include <utility>

#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

constexpr const char* kJournal = "/journal";
/// A user id other than root's, so that the pod also runs where root is forbidden (pod security standard
/// "restricted").
constexpr int kUser = 65532;

void add_journal(const EngineOptions& options, Json& pod) {
  Json mount = {{"name", "journal"}, {"mountPath", kJournal}}, volume = {{"name", "journal"}};
  if (!options.sub_path.empty()) mount["subPath"] = options.sub_path;
  if (options.claim.empty())
    volume["emptyDir"] = Json::object();
  else
    volume["persistentVolumeClaim"] = {{"claimName", options.claim}};
  pod["containers"][0]["volumeMounts"] = Json::array({std::move(mount)});
  pod["volumes"] = Json::array({std::move(volume)});
}

}  // namespace

Json kml_pod(const EngineOptions& options, const std::string& account,
             const std::vector<std::string>& command) {
  const Json container = {
      {"name", "kml"},
      {"image", options.image},
      {"command", command},
      {"env", Json::array({{{"name", "KML_STATE_DIR"}, {"value", kJournal}},
                           {{"name", "USER"}, {"value", options.user}}})},
      {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}, {"limits", {{"memory", "1Gi"}}}}},
      {"securityContext",
       {{"allowPrivilegeEscalation", false},
        {"readOnlyRootFilesystem", true},
        {"capabilities", {{"drop", {"ALL"}}}}}}};
  Json pod = {{"serviceAccountName", options.service_account.empty() ? account : options.service_account},
              {"securityContext",
               {{"runAsNonRoot", true},
                {"runAsUser", kUser},
                {"runAsGroup", kUser},
                {"fsGroup", kUser},
                {"fsGroupChangePolicy", "OnRootMismatch"},
                {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
              {"containers", Json::array({container})}};
  add_journal(options, pod);
  return pod;
}

std::vector<Json> account_objects(const Json& metadata, const Json& rules) {
  constexpr const char* kGroup = "rbac.authorization.k8s.io";
  const std::string version = std::string(kGroup) + "/v1", name = string_at(metadata, {"name"});
  Json account = {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata}};
  Json role = {{"apiVersion", version}, {"kind", "Role"}, {"metadata", metadata}, {"rules", rules}};
  const Json subject = {
      {"kind", "ServiceAccount"}, {"name", name}, {"namespace", string_at(metadata, {"namespace"})}};
  Json binding = {{"apiVersion", version},
                  {"kind", "RoleBinding"},
                  {"metadata", metadata},
                  {"roleRef", {{"apiGroup", kGroup}, {"kind", "Role"}, {"name", name}}},
                  {"subjects", Json::array({subject})}};
  return {std::move(account), std::move(role), std::move(binding)};
}

}  // namespace kml::engine
