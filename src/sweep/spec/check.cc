#include "sweep/spec/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "kml/base/json_query.h"
#include "kml/base/pattern.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/made_name.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/sweep/samplers/sampler.h"
#include "sweep/spec/holes.h"
#include "sweep/spec/indexed_template.h"
#include "sweep/spec/objectives.h"
#include "sweep/spec/warm_start.h"

namespace kml::sweep {

namespace {

void add(std::vector<Problem>& problems, std::string path, std::string text) {
  problems.push_back({{}, 0, 0, std::move(path), std::move(text)});
}

/// Whether the space has any allowed point. Searches as for the first trial, but tries more often if the
/// space is infinite, because it cannot be scanned then.
bool has_a_point(const Space& space, std::uint64_t seed) {
  const auto sampler = make_sampler("random", space, {.seed = seed});
  const std::uint64_t attempts = space.size() ? 1 : 10;
  for (std::uint64_t trial = 0; trial < attempts; ++trial)
    if (sampler->propose(trial, {})) return true;
  return false;
}

void check_warm_start(const SweepSpec& spec, const Space& space, std::vector<Problem>& problems) {
  for (size_t i = 0; i < spec.warm_start.size(); ++i) {
    try {
      observations_of(Json::array({spec.warm_start[i]}), space, spec.objective);
    } catch (const Error& error) {
      add(problems, "spec.warmStart[" + std::to_string(i) + "]", message_and_why(error));
    }
  }
}

void check_space(const SweepSpec& spec, std::vector<Problem>& problems) {
  try {
    const Space space(spec.parameters, spec.constraints);
    if (!spec.constraints.empty() && !has_a_point(space, spec.seed))
      add(problems, "spec.constraints", "no values were found that satisfy all constraints");
    check_warm_start(spec, space, problems);
  } catch (const Error& error) {
    for (Problem problem : error.problems) {
      problem.path = "spec." + problem.path;
      problems.push_back(std::move(problem));
    }
    if (error.problems.empty()) add(problems, "spec.parameters", error.message);
  }
}

void check_filters(const SweepSpec& spec, std::vector<Problem>& problems) {
  for (size_t i = 0; i < spec.collector.filters.size(); ++i) {
    const std::string& filter = spec.collector.filters[i];
    const std::string path =
        "spec.metricsCollectorSpec.source.filter.metricsFormat[" + std::to_string(i) + "]";
    try {
      if (Pattern(filter).groups() < 2)
        add(problems, path, "needs two groups, for the metric's name and its value");
    } catch (const Error& error) {
      add(problems, path, "is not a valid RE2 regular expression: " + error.why);
    }
  }
}

void check_conditions(const TrialConditions& conditions, std::vector<Problem>& problems) {
  for (const auto& [key, path] :
       {std::pair("successCondition", conditions.success), {"failureCondition", conditions.failure}}) {
    if (path.empty()) continue;
    try {
      static_cast<void>(JsonQuery(path));
    } catch (const Error& error) {
      add(problems, std::string("spec.trialTemplate.") + key, message_and_why(error));
    }
  }
}

/// Whether a Job's pods have this label: from the template, or from the Job controller.
bool has_label(const Json& pod, const std::string& name, const std::string& value) {
  const std::string own = string_at(pod, {"metadata", "labels", name});
  return own == value || own.find('{') != std::string::npos || name.starts_with("batch.kubernetes.io/") ||
         name == "job-name" || name == "controller-uid";
}

/// Metrics are read from the primary container of the primary pods, so these must exist. Operators add labels
/// to pods of other kinds than Job.
void check_primary(const SweepSpec& spec, std::vector<Problem>& problems) {
  const TrialConditions& conditions = spec.conditions;
  std::vector<std::string> containers;
  job::each_pod_template(spec.trial, [&](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod)) containers.push_back(api::entry_name(container));
    for (const auto& [name, value] : conditions.pod_labels)
      if (api::kind_name(spec.trial) == "Job" && !has_label(pod, name, value))
        add(problems, "spec.trialTemplate.primaryPodLabels",
            fmt::format("no pod has the label {}={}: add it to the labels of the pod template", name, value));
  });
  const bool is_there = std::ranges::find(containers, conditions.container) != containers.end();
  if (!conditions.container.empty() && !containers.empty() && !is_there)
    add(problems, "spec.trialTemplate.primaryContainerName",
        fmt::format("no container is called {}; {} {}", conditions.container,
                    containers.size() == 1 ? "the container is" : "the containers are",
                    join(containers, ", ")));
}

void check_population(const SweepSpec& spec, std::vector<Problem>& problems) {
  if (spec.algorithm != "pbt") return;
  if (spec.checkpoint_folder.empty())
    add(problems, "spec.checkpointDir", "is missing: pbt copies the checkpoints there from trial to trial");
  if (spec.parallel > spec.population.members)
    add(problems, "spec.parallelTrialCount",
        fmt::format("is more than the {} members of the population (n_population)", spec.population.members));
  if (spec.stopping.rule != StopRule::none)
    add(problems, "spec.earlyStopping", "cannot be combined with pbt, which replaces bad trials itself");
  if (spec.is_indexed)
    add(problems, "spec.fanOut",
        "cannot be indexed with pbt, whose trials start from each other's checkpoints");
}

/// More rungs have no advantage.
void check_rungs(const Stopping& stopping, std::vector<Problem>& problems) {
  constexpr double kMostRungs = 40;
  const double first = stopping.min > 0 ? stopping.min : std::min(1.0, stopping.max);
  const double count = std::log(stopping.max / first) / std::log(stopping.eta);
  if (stopping.eta > 1 && stopping.max > 0 && count > kMostRungs)
    add(problems, "spec.fidelity.eta",
        fmt::format("gives {:.0f} rungs, but the maximum is {:.0f}; the usual eta is 2 to 4", count,
                    kMostRungs));
}

void check_references(const SweepSpec& spec, std::vector<Problem>& problems) {
  for (const auto& [name, reference] : spec.trial_parameters) {
    if (is_trial_reference(reference)) {
      if (!trial_reference(reference, spec.trial, ""))
        add(problems, "spec.trialTemplate.trialParameters",
            name + " refers to " + reference +
                ": use Name, Namespace, Kind, APIVersion, Labels[KEY] or Annotations[KEY], with a KEY that "
                "the trialSpec has");
      continue;
    }
    const bool is_known =
        reference == spec.stopping.resource ||
        std::any_of(spec.parameters.begin(), spec.parameters.end(),
                    [&reference = reference](const Parameter& each) { return each.name == reference; });
    if (!is_known)
      add(problems, "spec.trialTemplate.trialParameters",
          name + " refers to \"" + reference + "\", which is not a parameter");
  }
}

/// Like Katib, rejects a manifest with a ${trialParameters.NAME} that trialParameters does not define (see
/// validateTrialTemplate in pkg/webhook/v1beta1/experiment/validator).
void check_undefined(const SweepSpec& spec, std::vector<Problem>& problems) {
  constexpr std::string_view kBegin = "${trialParameters.";
  const std::string manifest = compact_text(spec.trial);
  std::set<std::string> undefined;
  for (size_t at = 0; (at = manifest.find(kBegin, at)) != std::string::npos;) {
    at += kBegin.size();
    const std::string name = manifest.substr(at, manifest.find('}', at) - at);
    if (!spec.trial_parameters.contains(name)) undefined.insert(name);
  }
  for (const std::string& name : undefined)
    add(problems, "spec.trialTemplate.trialSpec",
        fmt::format("contains {}{}}}, which trialParameters does not define", kBegin, name));
}

}  // namespace

std::string name_fault(const std::string& name) {
  // "-t00042-r1-a0" follows, with up to two more digits, and a label has at most 63 characters
  constexpr size_t kLongest = 48;
  if (name.empty()) return "is missing";
  const std::string problem = api::made_name_problem(name, {kLongest, "the trials' jobs are named after it"});
  return problem.empty() ? "" : "\"" + name + "\" " + problem;
}

std::vector<Problem> faults_of(const SweepSpec& spec) {
  std::vector<Problem> problems;
  check_space(spec, problems);
  check_filters(spec, problems);
  check_conditions(spec.conditions, problems);
  check_primary(spec, problems);
  check_population(spec, problems);
  check_objectives(spec, problems);
  check_rungs(spec.stopping, problems);
  check_references(spec, problems);
  check_undefined(spec, problems);
  if (spec.deterministic && spec.stopping.rule != StopRule::none)
    add(problems, "spec.deterministic",
        "cannot be combined with early stopping, which depends on how fast trials run");
  if (spec.stopping.rule == StopRule::median && spec.stopping.promote)
    add(problems, "spec.earlyStopping.mode",
        "cannot be promote with median, because median has no rungs: remove mode, or use asha or hyperband");
  if (spec.is_indexed && problems.empty()) problems = obstacles_to_indexed(spec);
  return problems;
}

}  // namespace kml::sweep
