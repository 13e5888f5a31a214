#include "kml/job/submit/agents_references.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kml/base/agent.h"
#include "kml/base/clean.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

namespace {

constexpr std::string_view kOfSecret = "secret/", kOfConfigMap = "configmap/", kOfAccount = "serviceaccount/";

/// A field whose value refers to an existing object. The names of these fields are the same in all kinds.
struct ReferenceField {
  std::string_view name;
  std::string_view kind;
};

/// The fields whose value is a name, or an object with a name.
constexpr std::array kReferenceFields = std::to_array<ReferenceField>({
    {"secretName", kOfSecret},
    {"secretRef", kOfSecret},
    {"secretKeyRef", kOfSecret},
    {"configMapName", kOfConfigMap},
    {"configMapRef", kOfConfigMap},
    {"configMapKeyRef", kOfConfigMap},
    {"serviceAccount", kOfAccount},
    {"serviceAccountName", kOfAccount},
    {"secretProviderClass", "secretproviderclass/"},
});

/// Endings in the names of more such fields: "nodePublishSecretRef" of a CSI volume, "accessKeySecret" of
/// Argo, "sparkConfigMap" of Spark.
constexpr std::array kReferenceEnds = std::to_array<ReferenceField>({{"SecretRef", kOfSecret},
                                                                     {"Secret", kOfSecret},
                                                                     {"ConfigMapRef", kOfConfigMap},
                                                                     {"ConfigMap", kOfConfigMap}});

/// Fields whose value is an object with a name. In labels, the same keys have other values.
constexpr std::array kReferenceObjects =
    std::to_array<ReferenceField>({{"secret", kOfSecret}, {"configMap", kOfConfigMap}});

/// Fields with several objects that have a name.
constexpr std::array kReferenceLists = std::to_array<ReferenceField>({{"imagePullSecrets", kOfSecret},
                                                                      {"secrets", kOfSecret},
                                                                      {"envSecretKeyRefs", kOfSecret},
                                                                      {"configMaps", kOfConfigMap}});

/// Maps with keys of the user's choice, which are not names of fields.
constexpr std::array<std::string_view, 7> kFreeMaps = {"labels", "annotations", "nodeSelector", "matchLabels",
                                                       "data",   "stringData",  "binaryData"};

/// API groups whose objects decide what others may do, or change what others send.
constexpr std::array<std::string_view, 7> kGroupsOfRights = {
    "rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io",
    "apiregistration.k8s.io",    "certificates.k8s.io",          "authentication.k8s.io",
    "authorization.k8s.io"};

std::string name_of_reference(const Json& value) {
  return value.is_string() ? value.get<std::string>() : string_at(value, {"name"});
}

class ReferenceFinder {
 public:
  References found() && { return std::move(found_); }

  void search(const Json& part) {
    if (part.is_array())
      for (const Json& item : part) search(item);
    if (!part.is_object()) return;
    for (const auto& [key, value] : part.items()) {
      if (std::find(kFreeMaps.begin(), kFreeMaps.end(), key) != kFreeMaps.end()) continue;
      look_at(key, value);
      search(value);
    }
  }

 private:
  void look_at(const std::string& key, const Json& value) {
    for (const ReferenceField& field : kReferenceFields)
      if (key == field.name) add(field.kind, name_of_reference(value));
    for (const ReferenceField& end : kReferenceEnds)
      if (key.ends_with(end.name)) add(end.kind, name_of_reference(value));
    for (const ReferenceField& field : kReferenceObjects)
      if (key == field.name && value.is_object()) add(field.kind, name_of_reference(value));
    for (const ReferenceField& list : kReferenceLists)
      if (key == list.name && value.is_structured())
        for (const Json& item : value) add(list.kind, name_of_reference(item));
    // A token of the pod's account, for example for another audience. Pods have a token of the account
    // "default" anyway, but not one that other systems accept.
    if (key == "serviceAccountToken") found_.insert(std::string(kOfAccount) + "token");
  }

  void add(std::string_view kind, const std::string& name) {
    if (!name.empty()) found_.insert(std::string(kind) + name);
  }

  References found_;
};

/// A Secret of this type gets a token of the account that its annotation names.
void add_requested_token(const Json& object, References& found) {
  if (string_at(object, {"type"}) != "kubernetes.io/service-account-token") return;
  found.insert(std::string(kOfAccount) + api::annotation_of(object, "kubernetes.io/service-account.name"));
}

References references_in(const Json& object) {
  ReferenceFinder finder;
  finder.search(object);
  References found = std::move(finder).found();
  add_requested_token(object, found);
  return found;
}

/// Every namespace has the service account "default", and a ConfigMap with the certificate of the API server.
bool is_in_every_namespace(const std::string& reference) {
  return reference == "serviceaccount/default" || reference == "configmap/kube-root-ca.crt";
}

std::string reference_in_words(const std::string& reference) {
  const size_t slash = reference.find('/');
  const std::string kind = reference.substr(0, slash + 1), name = reference.substr(slash + 1);
  if (reference == std::string(kOfAccount) + "token") return "tokens of service accounts";
  const std::string word = kind == kOfSecret      ? "Secret"
                           : kind == kOfConfigMap ? "ConfigMap"
                           : kind == kOfAccount   ? "service account"
                                                  : "SecretProviderClass";
  return "the existing " + word + " " + clean(name);
}

Error refused_to_agent(const std::string& what, const std::string& why, const std::string& fix) {
  Error error = usage_error(what, why, fix);
  error.reason = kRefusedToAgent;
  return error;
}

std::string reference_to(const Json& object) {
  return api::api_version_of(object) == "v1" ? lower(api::kind_name(object)) + "/" + api::name_of(object)
                                             : "";
}

/// Whether the object belongs to no namespace. Such an object may affect the jobs of other users.
bool is_of_cluster(const Json& object) {
  const api::ResourceKind* kind = api::kind_of(object);
  return kind && !kind->namespaced;
}

void refuse_power(const Json& object) {
  const std::string version = api::api_version_of(object);
  const std::string group = version.substr(0, version.find('/'));
  const bool is_right =
      std::find(kGroupsOfRights.begin(), kGroupsOfRights.end(), group) != kGroupsOfRights.end();
  if (!is_right && !is_of_cluster(object)) return;
  throw refused_to_agent(
      "kml mcp does not create " + clean(api::kind_name(object)) + " " + clean(api::name_of(object)),
      is_right ? "it changes what others may do in the cluster"
               : "it belongs to the whole cluster, not to a namespace",
      "ask the user to create it");
}

}  // namespace

References made_by_kml(const SubmitPlan& plan) {
  References made;
  for (const Belonging& belonging : plan.belongings) made.insert(reference_to(belonging.object));
  return made;
}

References made_before_job(const SubmitPlan& plan) {
  References made = made_by_kml(plan);
  if (!plan.template_name.empty() && std::count_if(plan.objects.begin(), plan.objects.end(), is_job) == 1)
    for (const Json& object : plan.objects) made.insert(reference_to(object));
  return made;
}

References named_by_user(const std::vector<spec::Setting>& settings) {
  References named;
  for (const spec::Setting& setting : settings) {
    const spec::Source source = setting.origin.source;
    if (source != spec::Source::user_file && source != spec::Source::environment) continue;
    if (setting.name == "env-from" || setting.name == "pull-secret")
      named.insert(std::string(kOfSecret) + setting.value);
    if (setting.name == "service-account") named.insert(std::string(kOfAccount) + setting.value);
    if (setting.name == "mount") named.insert(setting.value.substr(0, setting.value.find(':')));
  }
  return named;
}

void require_agents_references(const std::vector<Json>& objects, const References& allowed) {
  if (!runs_for_agent()) return;
  for (const Json& object : objects) {
    refuse_power(object);
    for (const std::string& reference : references_in(object)) {
      if (is_in_every_namespace(reference) || allowed.contains(reference) || agent_may_use(reference))
        continue;
      throw refused_to_agent("kml mcp does not use " + reference_in_words(reference) + " in jobs",
                             "the job could print what it reads, and the model could read the job's log",
                             "ask the user, who can allow it: kml mcp --secret-names " + clean(reference));
    }
  }
}

}  // namespace kml::job
