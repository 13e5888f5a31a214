#include <algorithm>
#include <set>

#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/trial/indexed_template.h"
#include "sweep/trial/holes.h"

namespace kml::sweep {

namespace {

/// Kubernetes allows more only with few at once and a limit to the failed ones (batch/v1 Job validation).
constexpr std::uint64_t kMostIndexes = 100'000;

bool is_variable(const std::string& name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(std::string(kLetters) + "0123456789") == std::string::npos;
}

class Search {
 public:
  explicit Search(const SweepSpec& spec) : spec_(spec), holes_(spec) {}

  std::vector<Problem> run() {
    look_at_strategy();
    if (string_at(spec_.trial, {"apiVersion"}) != "batch/v1" || string_at(spec_.trial, {"kind"}) != "Job") {
      add(kTrial + ".kind", "is no Job of batch/v1, which alone has indexes");
      return std::move(problems_);
    }
    look_at_job();
    look_at_holes(spec_.trial, kTrial);
    return std::move(problems_);
  }

 private:
  void add(std::string path, std::string text) {
    problems_.push_back({{}, 0, 0, std::move(path), std::move(text)});
  }

  void look_at_strategy() {
    const std::string algorithm =
        spec_.algorithm == "auto"
            ? choose_sampler(Space(spec_.parameters, spec_.constraints), spec_.budget.trials)
            : spec_.algorithm;
    if (algorithm != "grid" && algorithm != "random" && algorithm != "sobol")
      add("spec.algorithm.algorithmName",
          algorithm + " learns from results, and all trials are made at once: use grid, random or sobol");
    if (spec_.stopping.rule != Stopping::Rule::none)
      add("spec.earlyStopping", "cannot be: an index cannot be ended by itself");
    if (spec_.budget.wall_time)
      add("spec.budget.wallTime", "cannot be kept: the cluster begins the trials by itself");
    if (spec_.budget.gpu_hours)
      add("spec.budget.gpuHours", "cannot be kept: the cluster begins the trials by itself");
    if (spec_.budget.trials > kMostIndexes)
      add("spec.maxTrialCount", "is more than " + std::to_string(kMostIndexes) + ", the most of one Job");
    for (const Parameter& parameter : spec_.parameters)
      for (const Json& choice : parameter.choices)
        if (text_of(choice).find('\n') != std::string::npos)
          add("spec.parameters", parameter.name + " has a value of several lines");
  }

  void look_at_job() {
    const Json& job = object_at(spec_.trial, {"spec"});
    for (const char* field : {"completions", "parallelism"})
      if (int_at(job, {field}, 1) != 1) add(kTrial + ".spec." + field, "has to be 1: a trial is one pod");
    for (const char* field : {"completionMode", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes"})
      if (job.contains(field)) add(kTrial + ".spec." + field, "is the sweep's to say");
    if (string_at(job, {"template", "spec", "restartPolicy"}) != "Never")
      add(kTrial + ".spec.template.spec.restartPolicy", "has to be Never: an index is retried by a new pod");
    for (const Json& rule : array_at(job, {"podFailurePolicy", "rules"}))
      if (string_at(rule, {"action"}) == "FailJob")
        add(kTrial + ".spec.podFailurePolicy.rules", "has a FailJob, which would end all trials");
  }

  bool has_hole(const Json& value) const {
    if (value.is_structured())
      return std::any_of(value.begin(), value.end(), [&](const Json& each) { return has_hole(each); });
    if (!value.is_string()) return false;
    const std::vector<Piece> pieces = holes_.pieces(value);
    return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_hole; });
  }

  /// Holes may be in the words of a container's command, and in its environment.
  void look_at_holes(const Json& value, const std::string& path) {
    if (value.is_string() && has_hole(value))
      add(path, "is one for all trials: a parameter can be in a command or an environment variable alone");
    if (value.is_array())
      for (size_t i = 0; i < value.size(); ++i) look_at_holes(value[i], path + "[" + std::to_string(i) + "]");
    if (!value.is_object()) return;
    const bool is_note = path.ends_with("metadata");
    for (const auto& [key, child] : value.items()) {
      const bool is_containers = path == kTrial + ".spec.template.spec" &&
                                 (key == "containers" || key == "initContainers") && child.is_array();
      if (is_containers)
        for (size_t i = 0; i < child.size(); ++i)
          look_at_container(child[i], path + "." + key + "[" + std::to_string(i) + "]");
      else if (!is_note || key != "annotations")  // they only tell of the submit
        look_at_holes(child, path + "." + key);
    }
  }

  void look_at_container(const Json& container, const std::string& path) {
    Json rest = container;
    bool is_wrapped =
        has_hole(container.value("command", Json())) || has_hole(container.value("args", Json()));
    rest.erase("command");
    rest.erase("args");
    for (Json& variable : rest.contains("env") ? rest["env"] : rest) {
      if (!variable.is_object() || !has_hole(variable.value("value", Json()))) continue;
      variable.erase("value");
      is_wrapped = true;
      if (const std::string name = string_at(variable, {"name"}); !is_variable(name))
        add(path + ".env", "\"" + name + "\" cannot be set by a shell");
    }
    if (is_wrapped && array_at(container, {"command"}).empty())
      add(path + ".command", "is missing: what the image would run cannot be wrapped");
    look_at_holes(rest, path);
  }

  const std::string kTrial = "spec.trialTemplate.trialSpec";
  const SweepSpec& spec_;
  const Holes holes_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> obstacles_to_indexed(const SweepSpec& spec) {
  return Search(spec).run();
}

}  // namespace kml::sweep
