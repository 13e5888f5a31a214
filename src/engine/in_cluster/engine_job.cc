#include "kml/engine/in_cluster/engine_job.h"

#include <utility>

#include "engine/in_cluster/git_access.h"
#include "engine/in_cluster/kml_pod.h"
#include "job/submit/gangs.h"
#include "kml/base/json_fields.h"
#include "kml/job/views/disruption.h"
#include "kml/kube/objects/labels.h"

namespace kml::engine {

namespace {

/// Exit codes that a retry would not change. 2 is a usage error; 3 is a sweep without a result, or a failed
/// pipeline.
constexpr int kFinalCodes[] = {2, 3};
constexpr int kMostRestarts = 100;

Json object_of(const EngineMarks& marks, const EngineOptions& options, const char* version,
               const char* kind) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata",
           {{"name", engine_name(marks.name)},
            {"namespace", marks.namespace_name},
            {"labels", {{engine_label(marks), marks.name}, {api::kUser, options.user}}}}}};
}

/// Mounts the program's files, and an empty folder for temporary files.
void add_files(const EngineProgram& program, Json& pod) {
  Json& container = pod["containers"][0];
  for (const std::string& secret : program.variables)
    container["envFrom"].push_back({{"secretRef", {{"name", secret}}}});
  const auto mount = [&](const char* name, const char* path, Json volume, bool is_read_only) {
    volume["name"] = name;
    pod["volumes"].push_back(std::move(volume));
    container["volumeMounts"].push_back({{"name", name}, {"mountPath", path}});
    if (is_read_only) container["volumeMounts"].back()["readOnly"] = true;
  };
  if (!program.files.empty()) {
    Json sources = Json::array();
    for (const std::string& secret : program.files) sources.push_back({{"secret", {{"name", secret}}}});
    mount("files", kEngineFiles, {{"projected", {{"sources", std::move(sources)}}}}, true);
  }
  if (!program.files.empty() || program.git)
    mount("work", kEngineWork, {{"emptyDir", Json::object()}}, false);
  if (program.git) add_git(*program.git, pod);
}

Json pod_of(const EngineMarks& marks, const EngineOptions& options, const EngineProgram& program) {
  Json pod = kml_pod(options, engine_name(marks.name), program.command);
  pod["restartPolicy"] = "Never";
  pod["containers"][0]["name"] = "engine";
  add_files(program, pod);
  return pod;
}

/// The pod may be killed or evicted at any time. Its replacement then continues the journal, but only after
/// the pod has ended, because a journal can have only one writer.
Json job_of(const EngineMarks& marks, const EngineOptions& options, const EngineProgram& program) {
  Json job = object_of(marks, options, "batch/v1", "Job");
  job["spec"] = {
      {"backoffLimit", kMostRestarts},
      {"podReplacementPolicy", "Failed"},
      {"podFailurePolicy",
       {{"rules",
         {job::disruption_is_no_failure(),
          {{"action", "FailJob"}, {"onExitCodes", {{"operator", "In"}, {"values", kFinalCodes}}}}}}}},
      {"template",
       {{"metadata", {{"labels", {{engine_label(marks), marks.name}}}}},
        {"spec", pod_of(marks, options, program)}}}};
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

std::string engine_label(const EngineMarks& marks) {
  return marks.label + "-engine";
}

std::string engine_name(const std::string& name) {
  return name + "-engine";
}

Json rule(const std::string& group, const std::string& resource, const std::vector<std::string>& verbs) {
  return {
      {"apiGroups", Json::array({group})}, {"resources", Json::array({resource})}, {"verbs", Json(verbs)}};
}

Json engine_rules(const EngineMarks& marks, const std::vector<std::string>& kinds) {
  Json rules = Json::array();
  for (const std::string& kind : kinds) {
    const size_t slash = kind.find('/');
    std::vector<std::string> verbs = {"create", "get", "list", "watch", "patch"};
    if (kind == job::kPodGroups) verbs = {"create", "get", "patch", "delete"};
    rules.push_back(rule(kind.substr(0, slash), kind.substr(slash + 1), verbs));
  }
  rules.push_back(rule("", "pods", {"get", "list", "watch", "patch"}));
  rules.push_back(rule("", "pods/log", {"get"}));
  rules.push_back(rule("", "configmaps", {"create", "get", "patch", "delete"}));
  rules.push_back(rule("", "configmaps", {"list", "watch"}));
  rules.back()["resourceNames"] = Json::array({engine_object_name(marks)});
  return rules;
}

std::vector<Json> engine_objects(const EngineMarks& marks, const EngineOptions& options,
                                 const EngineProgram& program) {
  std::vector<Json> objects;
  if (options.service_account.empty())
    objects = account_objects(object_of(marks, options, "", "").at("metadata"), program.rules);
  objects.push_back(job_of(marks, options, program));
  return objects;
}

}  // namespace kml::engine
