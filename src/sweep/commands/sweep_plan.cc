#include "sweep/commands/sweep_plan.h"

#include <algorithm>
#include <ostream>

#include "job/commands/test_only.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/tables/sweep_table.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"
#include "sweep/spec/indexed_template.h"
#include "sweep/spec/replaced_path.h"
#include "sweep/spec/warm_start.h"

namespace kml::cli {

namespace {

/// The first trials as the sampler would propose them before any result is known.
std::vector<Json> first_trials(const sweep::SweepSpec& spec, const std::string& algorithm,
                               std::uint64_t count) {
  const sweep::Space space(spec.parameters, spec.constraints);
  const auto sampler =
      sweep::make_sampler(algorithm, space,
                          {.seed = spec.seed,
                           .startup = spec.startup,
                           .warm_start = sweep::observations_of(spec.warm_start, space, spec.objective),
                           .objectives = spec.objectives().size()});
  std::vector<Json> trials;
  std::vector<sweep::Observation> running;
  while (trials.size() < std::min<std::uint64_t>(count, spec.budget.trials)) {
    const std::uint64_t trial = trials.size();
    const auto point = sampler->propose(trial, {{}, running});
    if (!point) break;
    trials.push_back(space.assignment(*point));
    running.push_back({.trial = trial, .point = *point});
  }
  return trials;
}

bool is_in_volume_of_its_own(const Json& trial, const std::string& path) {
  bool found = false;
  job::each_pod_template(trial, [&](const Json& pod, int) {
    const auto is_own = [&](const std::string& name) {
      const Json& volumes = api::volumes_in(api::spec_of(pod));
      return std::any_of(volumes.begin(), volumes.end(), [&](const Json& volume) {
        return api::entry_name(volume) == name && volume.contains("emptyDir");
      });
    };
    for (const Json& container : api::containers_of(pod))
      for (const Json& mount : api::mounts_of(container))
        found =
            found || (path.starts_with(api::mount_path_of(mount) + "/") && is_own(api::entry_name(mount)));
  });
  return found;
}

/// Whether each trial has its own metrics file on this machine, where pods share the file system.
bool is_own_file(const sweep::SweepSpec& spec) {
  const std::string& path = spec.collector.path;
  const auto has = [&](const char* name) {
    return path.find("{" + std::string(name) + "}") != std::string::npos ||
           path.find(sweep::own_hole(spec.placeholders, name)) != std::string::npos;
  };
  return path.empty() || has("trial") || has("checkpoint") || spec.collector.has_volume ||
         is_in_volume_of_its_own(spec.trial, path);
}

std::string algorithm_of(const sweep::SweepSpec& spec) {
  return sweep::algorithm_of(spec, sweep::Space(spec.parameters, spec.constraints));
}

}  // namespace

std::string amount_of_trials(const sweep::SweepSpec& spec) {
  const auto size = sweep::Space(spec.parameters, spec.constraints).size();
  const std::uint64_t trials = size ? std::min(*size, spec.budget.trials) : spec.budget.trials;
  return std::to_string(trials) + (trials == 1 ? " trial" : " trials");
}

int show_plan(Context& context, const sweep::SweepSpec& spec) {
  const std::string algorithm = algorithm_of(spec);
  std::ostream& out = context.streams().out;
  const auto size = sweep::Space(spec.parameters, spec.constraints).size();
  out << spec.name << ": " << amount_of_trials(spec) << ", " << spec.parallel << " at once, by " << algorithm;
  if (size) out << ", of " << *size << (*size == 1 ? " point" : " points");
  out << (spec.is_indexed ? ", as one Indexed Job\n" : "\n");
  for (const std::string& line : ui::rung_plan(spec)) out << line << "\n";
  const std::vector<Json> trials = first_trials(spec, algorithm, 5);
  for (size_t i = 0; i < trials.size(); ++i)
    out << "trial " << i << "  " << ui::in_words(spec, trials[i]) << "\n";
  return 0;
}

void refuse_impossible_trials(Context& context, const sweep::SweepSpec& spec,
                              const std::vector<job::Belonging>& secrets) {
  const std::vector<Json> first = first_trials(spec, algorithm_of(spec), 1);
  if (first.empty()) return;
  const sweep::TrialTemplate trial_template(spec);
  const sweep::SweepRunnerOptions options = runner_options(context, spec, "", trial_template);
  const sweep::TrialJob job = {.name = spec.name + "-t0", .values = first[0]};
  if (!spec.is_indexed) return refuse_impossible(context, {sweep::trial_manifest(options, job)}, secrets);
  sweep::IndexedObjects indexed = sweep::indexed_objects(options, spec, spec.name, {job});
  indexed.tables.insert(indexed.tables.end(), secrets.begin(), secrets.end());
  refuse_impossible(context, {indexed.job}, indexed.tables);
}

void separate_files(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source) {
  const sweep::SweepSpec spec = sweep::parse_sweep(document, source);
  if (!context.place().is_local || spec.is_indexed || is_own_file(spec)) return;
  const std::string own = spec.collector.path + "-" + sweep::own_hole(spec.placeholders, "trial");
  if (before ? sweep::parse_sweep(*before, source).collector.path != own : spec.parallel == 1) return;
  bool is_used = false;
  job::each_pod_template(document["spec"]["trialTemplate"]["trialSpec"], [&](Json& pod, int) {
    is_used = sweep::replace_path(pod["spec"]["containers"], spec.collector.path, own) || is_used;
  });
  if (!is_used) return;
  document["spec"]["metricsCollectorSpec"]["source"]["fileSystemPath"]["path"] = own;
  context.note("each trial writes a separate metrics file: " + own);
}

void require_shared_checkpoints(Context& context, const sweep::SweepSpec& spec) {
  const std::string& folder = spec.checkpoint_folder;
  if (spec.algorithm != "pbt" || context.place().is_local) return;
  bool is_mounted = false;
  job::each_pod_template(spec.trial, [&](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      for (const Json& mount : api::mounts_of(container))
        is_mounted = is_mounted || (folder + "/").starts_with(api::mount_path_of(mount) + "/");
  });
  if (is_mounted && !is_in_volume_of_its_own(spec.trial, folder + "/x")) return;
  throw usage_error("trials could not read each other's checkpoints",
                    "no volume that they share is mounted at " + folder,
                    "mount a claim with access mode ReadWriteMany there: --mount pvc/CLAIM:" + folder);
}

void refuse_shared_file(Context& context, const sweep::SweepSpec& spec) {
  const std::string& path = spec.collector.path;
  if (spec.parallel == 1 || !context.place().is_local || is_own_file(spec)) return;
  throw usage_error(
      "all trials would write their metrics to the same file, " + path,
      "on this machine, trials share the file system, and " + std::to_string(spec.parallel) +
          " trials run at once",
      "give each trial its own file, with --metrics-file 'metrics-{trial}' and the same name in the command; "
      "or use --parallel 1");
}

void choose_fan_out(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source) {
  constexpr std::uint64_t kMany = 1000;
  if (api::kind_name(document) != "Sweep" || document["spec"].contains("fanOut")) return;
  const sweep::SweepSpec spec = sweep::parse_sweep(document, source);
  if (before) {
    if (const Json* fan_out = find(*before, {"spec", "fanOut"})) document["spec"]["fanOut"] = *fan_out;
    return;
  }
  // On this machine, an Indexed Job has no advantage. Its table is a volume, which needs namespaces, and not
  // every machine allows namespaces.
  if (spec.budget.trials < kMany || context.place().is_local || !sweep::obstacles_to_indexed(spec).empty())
    return;
  document["spec"]["fanOut"] = "indexed";
  context.note("all " + std::to_string(spec.budget.trials) +
               " trials run as one Indexed Job (--fan-out jobs creates a Job for each)");
}

}  // namespace kml::cli
