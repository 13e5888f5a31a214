#include "jobs/pipeline/sweep_steps.h"

#include <optional>
#include <set>

#include "jobs/pipeline/filled_here.h"
#include "jobs/pipeline/step_pod.h"
#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/process.h"
#include "kml/core/text.h"
#include "kml/render/evaluate.h"
#include "kml/render/problems.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/sweep_state.h"

namespace kml::jobs {

namespace {

using engine::JobReport;

sweep::SweepState state_of_sweep(const std::string& name) {
  sweep::SweepState state;
  sweep::read_journal(sweep::sweep_folder(name), [&](const sweep::Record& record) { state.apply(record); });
  return state;
}

/// Whether the sweep need not be started: it is running, or has ended since an earlier engine started it.
bool is_begun(const pipeline::StepJob& job) {
  const std::filesystem::path folder = sweep::sweep_folder(job.name);
  if (!std::filesystem::exists(folder / "journal.jsonl")) return false;
  return sweep::writer_of(folder) || (!job.is_new && !state_of_sweep(job.name).end().empty());
}

/// The flags for a step's mapping: "--trials=16", "--param=lr=log:1e-4..1e-1".
std::vector<std::string> flags_of(const pipeline::StepJob& job, const std::string& file) {
  render::Problems problems(file);
  const Json sweep = render::evaluate(job.step->sweep, job.scope, problems);
  problems.raise("step " + job.step->name + " cannot be submitted");
  std::vector<std::string> flags;
  const auto add = [&](const std::string& flag, const Json& value) {
    flags.push_back("--" + flag + "=" + render::embedded(value));
  };
  for (const auto& [flag, value] : sweep.items()) {
    if (value.is_object())
      for (const auto& [name, values] : value.items()) add(flag, name + "=" + render::embedded(values));
    else if (value.is_array())
      for (const Json& one : value) add(flag, one);
    else if (!value.is_boolean())
      add(flag, value);
    else if (value.get<bool>())
      flags.push_back("--" + flag);
  }
  return flags;
}

/// All trees among a step's inputs: an input is a value, a tree, or a list of these.
std::vector<const Json*> trees_of(const Json& inputs) {
  std::vector<const Json*> trees;
  for (const Json& input : inputs) {
    if (input.is_object() && input.contains("digest")) trees.push_back(&input);
    if (input.is_array())
      for (const Json& item : input)
        if (item.is_object() && item.contains("digest")) trees.push_back(&item);
  }
  return trees;
}

/// The mounts that put inputs on a claim at the paths where the step's command expects them. Throws usage
/// Error if an input is only in this machine's store.
std::vector<std::string> mounts_of(const pipeline::StepJob& job, const std::optional<ClaimStore>& store) {
  std::set<std::string> mounts;
  for (const Json* tree : trees_of(job.inputs)) {
    const std::string place = string_at(*tree, {"onClaim"});
    if (place.empty() || !store)
      throw usage_error("a sweep on a cluster cannot read inputs from this machine",
                        "kml sweep makes its trials, and does not copy files to them",
                        "keep the outputs of steps on a volume claim: kml run --store pvc/NAME");
    mounts.insert("--mount=pvc/" + store->claim + "/" + place + ":" + std::string(kStepMade) + place + ":ro");
  }
  return {mounts.begin(), mounts.end()};
}

/// Runs kml itself in that folder. If it fails, throws usage Error with its output.
void run_kml(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"sh", "-c", "exec \"$@\" 2>&1", "sh", own_executable()};
  argv.insert(argv.end(), words.begin(), words.end());
  const ProcessResult result = run_process(argv, {.folder = folder});
  if (result.exit_code != 0) throw usage_error("the sweep was refused", std::string(trim(result.out)));
}

}  // namespace

/// The file's own settings become flags; kml.yaml is read by the sweep itself.
std::vector<std::string> SweepSteps::command_line(const pipeline::StepJob& job) const {
  const pipeline::FilledStep filled = filled_here(options_, pipeline_, job);
  std::vector<std::string> words = {"sweep", "run", job.name, "--detach"};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(options_.target_flags);
  add(flags_of(job, pipeline_.file));
  for (const spec::Setting& setting : filled.settings)
    words.push_back((setting.name == "param" ? "-p" : "--" + setting.name + "=") + setting.value);
  if (!options_.is_local) add(mounts_of(job, options_.store));
  add({"--"});
  add(filled.command);
  return words;
}

void SweepSteps::start(const pipeline::StepJob& job) {
  if (!is_begun(job)) run_kml(options_.folder, command_line(job));
  live_[job.name] = false;
}

void SweepSteps::stop(const std::string& sweep) {
  std::vector<std::string> words = {"sweep", "stop", sweep};
  words.insert(words.end(), options_.target_flags.begin(), options_.target_flags.end());
  run_kml(options_.folder, words);
}

std::vector<JobReport> SweepSteps::reports() {
  std::vector<JobReport> reports;
  for (auto& [name, is_told] : live_) {
    if (!std::exchange(is_told, true))
      reports.push_back({.kind = JobReport::Kind::running, .job = name, .time = system_clock().now()});
    if (sweep::writer_of(sweep::sweep_folder(name))) continue;
    const sweep::SweepState state = state_of_sweep(name);
    JobReport end{.kind = JobReport::Kind::ended, .job = name, .time = system_clock().now()};
    end.succeeded = !state.end().empty() && state.best();
    end.cause = state.end().empty()
                    ? "its engine was ended; `kml sweep logs " + name + " --engine` prints its messages"
                    : "the sweep ended without a result: " + state.end();
    reports.push_back(std::move(end));
  }
  for (const JobReport& report : reports)
    if (report.kind == JobReport::Kind::ended) live_.erase(report.job);
  return reports;
}

Json SweepSteps::made_by(const std::string& sweep) {
  const sweep::SweepState state = state_of_sweep(sweep);
  if (!state.best()) throw Error(ErrorCode::job_failed, "sweep " + sweep + " has no best trial");
  const sweep::Trial& best = state.trials()[*state.best()];
  Json made = {{"best.value", {{"value", *best.value}}}};
  for (const auto& [name, value] : best.values.items()) made["best." + name] = {{"value", value}};
  return made;
}

}  // namespace kml::jobs
