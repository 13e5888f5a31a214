#include "tracking/runs/artifact_submits.h"

#include <filesystem>

#include "kml/base/error.h"
#include "kml/job/views/ownership.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

namespace {

job::State state_of(const pipeline::RunState& run) {
  if (!run.end()) return job::State::running;
  switch (*run.end()) {
    case pipeline::Outcome::succeeded: return job::State::succeeded;
    case pipeline::Outcome::stopped: return job::State::cancelled;
    case pipeline::Outcome::failed: break;
  }
  return job::State::failed;
}

job::Submission submit_of(const pipeline::RunState& run) {
  const Json& target = run.head().target;
  const Json file = Json::parse(run.head().text, nullptr, false);
  job::Submission submit;
  submit.id = "run/" + run.name();
  submit.time = run.began().value_or(Time());
  submit.user = run.head().user;
  submit.context = string_at(target, {"context"});
  submit.namespace_name = string_at(target, {"namespace"});
  submit.command = typed_words(array_at(file, {"spec", "steps", "job", "command"}));
  submit.folder = std::filesystem::path(run.head().file).parent_path().string();
  submit.git = run.head().git.value_or(Json());
  submit.objects = {{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"metadata", {{"name", run.name()}, {"namespace", submit.namespace_name}}}}};
  job::Outcome& outcome = submit.outcomes[job::job_key(submit.objects[0])];
  outcome.state = state_of(run);
  if (outcome.state == job::State::failed) outcome.cause = run.step("job").cause;
  if (run.end()) outcome.finished = run.last_time();
  return submit;
}

}  // namespace

std::vector<job::Submission> artifact_submits() {
  std::vector<job::Submission> found;
  for (const std::string& name : pipeline::run_names()) {
    try {
      if (const pipeline::RunState run = pipeline::read_run(name); is_submit(run))
        found.push_back(submit_of(run));
    } catch (const Error&) {  // `kml runs` reports this error
    }
  }
  return found;
}

}  // namespace kml::tracking
