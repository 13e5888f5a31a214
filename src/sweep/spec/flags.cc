#include "sweep/spec/flags.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kml::sweep {

namespace {

/// Sorted so that a path comes before its own prefixes.
constexpr std::pair<const char*, const char*> kFlags[] = {
    {"spec.fidelity: {metric, max}", "--resource METRIC:MAX"},
    {"spec.metricsCollectorSpec.source.fileSystemPath", "--metrics-file"},
    {"spec.objective.objectiveMetricName", "--maximize or --minimize"},
    {"spec.objective.type", "--maximize or --minimize"},
    {"spec.objective.goal", "--goal"},
    {"spec.objectives", "--maximize or --minimize"},
    {"spec.earlyStopping.algorithmName", "--early-stopping"},
    {"spec.earlyStopping.mode", "--stop-by"},
    {"spec.earlyStopping", "--early-stopping"},
    {"spec.algorithm.algorithmName", "--algorithm"},
    {"spec.algorithm", "--algorithm"},
    {"spec.budget.wallTime", "--time"},
    {"spec.budget.gpuHours", "--gpu-hours"},
    {"spec.retry.failures", "--retries"},
    {"spec.maxTrialCount", "--trials"},
    {"spec.parallelTrialCount", "--parallel"},
    {"spec.parameters", "--param"},
    {"spec.constraints", "--constraint"},
    {"spec.fidelity", "--resource"},
    {"spec.deterministic", "--deterministic"},
    {"spec.checkpointDir", "--checkpoint-dir"},
    {"spec.fanOut", "--fan-out"},
    {"spec.seed", "--seed"},
    {"spec.timeLimit", "--time-limit"},
    {"metadata.name", "NAME"},
};

void replace_fields(std::string& text) {
  for (const auto& [field, flag] : kFlags)
    for (size_t at; (at = text.find(field)) != std::string::npos;)
      text.replace(at, std::string(field).size(), flag);
}

/// Converts the path of a field to the flag: "--param" for spec.parameters[0], "--resource min" for
/// spec.fidelity.min.
std::string flag_of(std::string path) {
  replace_fields(path);
  if (!path.starts_with("--")) return path;
  path = path.substr(0, path.find('['));
  std::replace(path.begin(), path.end(), '.', ' ');
  return path;
}

}  // namespace

void name_flags(std::vector<Problem>& problems) {
  std::vector<Problem> named;
  for (Problem& problem : problems) {
    problem.file.clear();
    problem.path = flag_of(problem.path);
    if (problem.path == "NAME" && problem.text == "is missing") {
      problem.path.clear();
      problem.text = "give the sweep a name: kml sweep run NAME ...";
    }
    replace_fields(problem.text);
    // A flag may set two fields, but their problem is only reported once.
    const bool is_told =
        !named.empty() && named.back().path == problem.path && problem.path == "--maximize or --minimize";
    if (!is_told) named.push_back(std::move(problem));
  }
  problems = std::move(named);
}

}  // namespace kml::sweep
