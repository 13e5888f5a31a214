#include "kml/jobs/sweep/sweep_engine.h"

#include "kml/api/labels.h"
#include "kml/core/json_fields.h"
#include "kml/jobs/views/disruption.h"

namespace kml::jobs {

namespace {

constexpr const char* kJournal = "/journal";
/// Nobody's user: also where pods may not be root (the "restricted" pod security standard).
constexpr int kUser = 65532;
/// Exit codes after which another try would end alike: a mistake in the sweep, and a sweep without a result.
constexpr int kFinalCodes[] = {2, 3};
constexpr int kMostTries = 100;

Json object_of(const SweepMarks& sweep, const EngineOptions& options, const char* version, const char* kind) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata",
           {{"name", engine_name(sweep.name)},
            {"namespace", sweep.namespace_name},
            {"labels", {{api::kSweepEngine, sweep.name}, {api::kUser, options.user}}}}}};
}

/// What the runners of src/jobs/sweep do, and the copy of the journal; no Secret can be read.
Json rules_for(const SweepMarks& sweep, const Json& trial) {
  const api::ResourceKind* kind = api::kind_of(trial);
  const Json core = Json::array({""});
  return Json::array({
      {{"apiGroups", {kind ? kind->group : "batch"}},
       {"resources", {kind ? kind->plural : "jobs"}},
       {"verbs", {"create", "get", "list", "watch", "patch"}}},
      {{"apiGroups", core}, {"resources", {"pods"}}, {"verbs", {"get", "list", "watch", "patch"}}},
      {{"apiGroups", core}, {"resources", {"pods/log"}}, {"verbs", {"get"}}},
      {{"apiGroups", core}, {"resources", {"configmaps"}}, {"verbs", {"create", "get", "patch", "delete"}}},
      {{"apiGroups", core},
       {"resources", {"configmaps"}},
       {"resourceNames", {sweep_object_name(sweep.name)}},
       {"verbs", {"list", "watch"}}},
  });
}

Json pod_of(const SweepMarks& sweep, const EngineOptions& options) {
  Json mount = {{"name", "journal"}, {"mountPath", kJournal}};
  if (!options.sub_path.empty()) mount["subPath"] = options.sub_path;
  const Json container = {
      {"name", "engine"},
      {"image", options.image},
      {"command", {"kml", "sweep", "engine", sweep.name}},
      {"env", Json::array({{{"name", "KML_STATE_DIR"}, {"value", kJournal}},
                           {{"name", "USER"}, {"value", options.user}}})},
      {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}, {"limits", {{"memory", "1Gi"}}}}},
      {"securityContext",
       {{"allowPrivilegeEscalation", false},
        {"readOnlyRootFilesystem", true},
        {"capabilities", {{"drop", {"ALL"}}}}}},
      {"volumeMounts", Json::array({mount})}};
  return {{"restartPolicy", "Never"},
          {"serviceAccountName",
           options.service_account.empty() ? engine_name(sweep.name) : options.service_account},
          {"securityContext",
           {{"runAsNonRoot", true},
            {"runAsUser", kUser},
            {"runAsGroup", kUser},
            {"fsGroup", kUser},
            {"fsGroupChangePolicy", "OnRootMismatch"},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
          {"containers", Json::array({container})},
          {"volumes",
           Json::array({{{"name", "journal"}, {"persistentVolumeClaim", {{"claimName", options.claim}}}}})}};
}

/// Its pod may be killed or evicted at any time: another one goes on with the journal, once that one has
/// ended, for a journal has one writer.
Json job_of(const SweepMarks& sweep, const EngineOptions& options) {
  Json job = object_of(sweep, options, "batch/v1", "Job");
  job["spec"] = {
      {"backoffLimit", kMostTries},
      {"podReplacementPolicy", "Failed"},
      {"podFailurePolicy",
       {{"rules",
         {disruption_is_no_failure(),
          {{"action", "FailJob"}, {"onExitCodes", {{"operator", "In"}, {"values", kFinalCodes}}}}}}}},
      {"template",
       {{"metadata", {{"labels", {{api::kSweepEngine, sweep.name}}}}}, {"spec", pod_of(sweep, options)}}}};
  return job;
}

}  // namespace

constexpr std::tuple kEngineFields = {
    JsonField{"image", &EngineOptions::image}, JsonField{"claim", &EngineOptions::claim},
    JsonField{"subPath", &EngineOptions::sub_path},
    JsonField{"serviceAccount", &EngineOptions::service_account}, JsonField{"user", &EngineOptions::user}};

Json to_json(const EngineOptions& options) {
  return fields_to_json(options, kEngineFields);
}

EngineOptions engine_options_from_json(const Json& json) {
  EngineOptions options;
  read_fields(json, options, kEngineFields);
  return options;
}

std::string engine_name(const std::string& sweep) {
  return sweep + "-engine";
}

std::vector<Json> engine_objects(const SweepMarks& sweep, const EngineOptions& options, const Json& trial) {
  std::vector<Json> objects;
  if (options.service_account.empty()) {
    constexpr const char* kRbac = "rbac.authorization.k8s.io/v1";
    objects.push_back(object_of(sweep, options, "v1", "ServiceAccount"));
    objects.push_back(object_of(sweep, options, kRbac, "Role"));
    objects.back().emplace("rules", rules_for(sweep, trial));
    objects.push_back(object_of(sweep, options, kRbac, "RoleBinding"));
    const std::string name = engine_name(sweep.name);
    const Json account = {{"kind", "ServiceAccount"}, {"name", name}, {"namespace", sweep.namespace_name}};
    objects.back().update(
        {{"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", name}}},
         {"subjects", Json::array({account})}});
  }
  objects.push_back(job_of(sweep, options));
  return objects;
}

namespace {

sweep::StopWish wish_in(const Json& object) {
  return find(object, {"data", StopRequest::kKey})
             ? sweep::stop_wish_of(string_at(object, {"data", StopRequest::kKey}))
             : sweep::StopWish::none;
}

}  // namespace

StopRequest::StopRequest(kube::Client& client, const SweepMarks& sweep, const Json& object)
    : wish_(wish_in(object)) {
  const auto on_change = [this](kube::Change change, const Json& now) {
    wish_ = change == kube::Change::deleted ? sweep::StopWish::none : wish_in(now);
  };
  watch_ =
      kube::watch(client, *api::find_kind("v1", "ConfigMap"), sweep.namespace_name,
                  {.field_selector = "metadata.name=" + sweep_object_name(sweep.name), .is_patient = true},
                  {on_change, [] {}, [this](const Error& error) { failure_ = error; }});
}

sweep::StopWish StopRequest::wish() const {
  if (failure_) throw Error(*failure_);
  return wish_;
}

}  // namespace kml::jobs
