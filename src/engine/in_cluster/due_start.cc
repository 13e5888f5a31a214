#include "engine/in_cluster/due_start.h"

#include <algorithm>
#include <optional>
#include <set>

#include "kml/job/control/control.h"
#include "kml/job/control/wait.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

const api::ResourceKind& job_kind(const std::string& name) {
  for (const api::ResourceKind* kind : job::job_kinds())
    if (kind->kind == name) return *kind;
  throw usage_error("\"" + name + "\" is not a kind of job");
}

bool waits_for_others(const Json& job) {
  return api::is_suspended(job) && api::annotation_of(job, api::kCancelled).empty() &&
         !api::annotation_of(job, api::kAfter).empty();
}

/// The job's unmet dependencies, and the jobs that they refer to.
struct OpenDependencies {
  std::vector<api::Dependency> dependencies;
  std::vector<Json> jobs;
};

OpenDependencies open_of(kube::Client& client, const Json& job) {
  OpenDependencies open;
  for (api::Dependency& dependency : api::dependencies_of(job)) {
    const auto other =
        client.get_if_exists(job_kind(dependency.kind), api::namespace_of(job), dependency.name);
    if (dependency.never.empty() && api::is_met(dependency, other ? &*other : nullptr)) continue;
    if (other) open.jobs.push_back(*other);
    open.dependencies.push_back(dependency);
  }
  return open;
}

/// Writes the unmet dependencies into the job. If all are met, starts the job, unless a user holds it.
/// Returns false if the job has changed since it was read.
bool put(kube::Client& client, const Json& job, const std::vector<api::Dependency>& open) {
  const std::string text = api::text_of(open);
  if (text == api::annotation_of(job, api::kAfter)) return true;
  Json change = {{"metadata", {{"resourceVersion", string_at(job, {"metadata", "resourceVersion"})}}}};
  change["metadata"]["annotations"][std::string(api::kAfter)] = open.empty() ? Json() : Json(text);
  if (open.empty() && api::annotation_of(job, api::kHeld).empty())
    change.merge_patch(job::run_policy_patch(job, {{"suspend", false}}));
  try {
    client.patch(client.kind_of(job), api::namespace_of(job), api::name_of(job), kube::PatchType::merge,
                 change);
  } catch (const Error& error) {
    if (error.reason != "Conflict") throw;
    return false;
  }
  return true;
}

void refuse_lost(const Json& job, const std::vector<api::Dependency>& open) {
  const auto lost =
      std::find_if(open.begin(), open.end(), [](const auto& one) { return !one.never.empty(); });
  if (lost == open.end()) return;
  const std::string name = api::name_of(job);
  throw Error(ErrorCode::job_failed, "job " + name + " cannot start", lost->never,
              "`kml resume " + name + "` starts it anyway, `kml cancel " + name + "` cancels it");
}

}  // namespace

EngineMarks due_marks(const Json& job) {
  return {"job", std::string(api::kAfter), api::name_of(job), api::label_of(job, api::kSubmitId),
          api::namespace_of(job)};
}

EngineProgram due_program(const Json& job) {
  EngineProgram program{{"kml", "start-when-due", api::kind_name(job), api::name_of(job)}, Json::array()};
  std::set<std::string> names;
  for (const api::Dependency& one : api::dependencies_of(job)) names.insert(one.kind);
  for (const std::string& name : names) {
    const api::ResourceKind& kind = job_kind(name);
    program.rules.push_back(
        rule(std::string(kind.group), std::string(kind.plural), {"get", "list", "watch"}));
  }
  const api::ResourceKind& own = job_kind(api::kind_name(job));
  program.rules.push_back(rule(std::string(own.group), std::string(own.plural), {"get", "patch"}));
  program.rules.back()["resourceNames"] = Json::array({api::name_of(job)});
  return program;
}

std::vector<Json> start_if_due(kube::Client& client, const std::string& namespace_name,
                               const std::string& kind, const std::string& name) {
  while (true) {
    const auto job = client.get_if_exists(job_kind(kind), namespace_name, name);
    if (!job || !waits_for_others(*job)) return {};
    OpenDependencies open = open_of(client, *job);
    if (!put(client, *job, open.dependencies)) continue;
    refuse_lost(*job, open.dependencies);
    return std::move(open.jobs);
  }
}

void start_when_due(kube::Client& client, const std::string& namespace_name, const std::string& kind,
                    const std::string& name, const job::Interrupt& interrupt) {
  while (true) {
    const std::vector<Json> others = start_if_due(client, namespace_name, kind, name);
    if (others.empty()) return;
    // Checks after the end of each job, so that a failed dependency is noticed while others are still
    // running.
    job::wait_for(client, others, {}, interrupt, [&](const Json&, const job::JobView&, bool) {
      start_if_due(client, namespace_name, kind, name);
    });
    interrupt.pause(std::chrono::seconds(1));  // wait_for() may see a job's end before is_met() does
  }
}

}  // namespace kml::engine
