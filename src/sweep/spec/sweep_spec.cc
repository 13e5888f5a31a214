#include "kml/sweep/spec/sweep_spec.h"

#include <algorithm>
#include <functional>

#include "kml/base/clock.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/samplers/sampler.h"
#include "sweep/spec/check.h"
#include "sweep/spec/document.h"
#include "sweep/spec/fields.h"
#include "sweep/spec/flags.h"
#include "sweep/spec/objectives.h"
#include "sweep/spec/parameters.h"
#include "sweep/spec/replaced_path.h"
#include "sweep/spec/unused_settings.h"

namespace kml::sweep {

StopOptions stop_options(const Stopping& stopping) {
  StopOptions options{.rule = stopping.rule,
                      .min = stopping.min,
                      .max = stopping.max,
                      .eta = stopping.eta,
                      .brackets = stopping.brackets,
                      .by_best = stopping.by_best,
                      .grace = stopping.start,
                      .least_trials = stopping.min_trials,
                      .given_rungs = stopping.rungs};
  if (stopping.rule == StopRule::hyperband) options.brackets = static_cast<int>(rungs(options).size());
  return options;
}

std::string algorithm_of(const SweepSpec& spec, const Space& space) {
  if (spec.algorithm != "auto") return spec.algorithm;
  return choose_sampler(space, spec.budget.trials, spec.objectives().size());
}

std::string own_hole(Placeholders placeholders, const std::string& name) {
  return (placeholders == Placeholders::kml ? "{" : "${kml.") + name + "}";
}

std::vector<Objective> SweepSpec::objectives() const {
  std::vector<Objective> all = {objective};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

namespace {

constexpr int kMostParallel = 500;
constexpr std::string_view kMessageFile =
    "/dev/termination-log";  // the default terminationMessagePath in Kubernetes

/// Converts Katib's list of {name, value} to an object.
Json settings_of(Fields& fields, std::string_view key) {
  Json settings = Json::object();
  const Json* list = fields.take(key);
  if (!list) return settings;
  if (!list->is_array()) {
    fields.problem(key, "must be a list of {name, value}");
    return settings;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& entry = (*list)[i];
    if (const std::string name = api::entry_name(entry); !name.empty())
      settings[name] = entry.value("value", Json());
    else
      fields.problem(std::string(key) + "[" + std::to_string(i) + "]", "must be {name, value}");
  }
  return settings;
}

std::optional<std::chrono::seconds> duration_of(Fields& fields, std::string_view key) {
  const Json* value = fields.take(key);
  if (!value) return std::nullopt;
  const auto duration = parse_duration(value->is_string() ? value->get<std::string>() : value->dump());
  if (!duration || *duration <= std::chrono::seconds(0))
    fields.problem(key, "must be a duration above 0, such as 30m or 1h30m");
  return duration;
}

/// Why a Katib Experiment is rejected if it searches for a network architecture; empty for any other spec.
std::string architecture_search(const Json* spec) {
  if (!spec) return {};
  const std::string algorithm = string_at(*spec, {"algorithm", "algorithmName"});
  if (!find(*spec, {"nasConfig"}) && algorithm != "enas" && algorithm != "darts") return {};
  return "searches for the architecture of a network (" + algorithm +
         "), but kml only tunes parameters: describe the choices as categorical parameters";
}

/// Reads one document into a spec.
class Reader {
 public:
  Reader(const Json& document, SweepSpec& spec) : document_(document), spec_(spec) {}

  void read();
  std::vector<Problem> problems;

 private:
  void read_algorithm(Fields& fields);
  void read_hyperband(Fields& settings);
  void read_population(Fields& settings);
  void read_budget(Fields& fields);
  void read_fidelity(Fields& fields);
  void read_stopping(Fields& fields);
  void read_collector(Fields& fields);
  void read_trial(Fields& fields);
  void check();

  const Json& document_;
  SweepSpec& spec_;
  bool is_katib_ = false;
  std::string trial_folder_ = {};  ///< the folder for a trial's checkpoints in Katib
};

void Reader::read() {
  Fields top(&document_, "", problems);
  top.ignore({"apiVersion", "status"});
  is_katib_ = top.text("kind") == "Experiment";
  if (std::string problem = kind_problem(document_); !problem.empty())
    return top.problem("kind", std::move(problem));
  Fields metadata(top.take("metadata"), "metadata", problems);
  spec_.name = metadata.text("name");
  if (spec_.name.empty()) spec_.name = metadata.text("generateName");
  while (spec_.name.ends_with("-")) spec_.name.pop_back();
  metadata.ignore({"namespace", "labels", "annotations", "creationTimestamp"});
  metadata.end();
  const Json* spec = top.take("spec");
  if (const std::string fault = architecture_search(spec); !fault.empty())
    return problems.push_back({{}, 0, 0, "spec", fault});
  Fields fields(spec, "spec", problems);
  top.end();

  read_objectives(fields, is_katib_, spec_, problems);
  spec_.has_python_values = spec && string_at(*spec, {"trialTemplate", "valueFormat"}) == "python";
  spec_.parameters =
      read_parameters(fields.take("parameters"), "spec.parameters", spec_.has_python_values, problems);
  spec_.parallel = fields.count("parallelTrialCount", 1).value_or(is_katib_ ? 3 : 4);
  if (spec_.parallel > kMostParallel)
    fields.problem("parallelTrialCount", "is more than " + std::to_string(kMostParallel) + " jobs at once");
  spec_.max_failed = fields.count("maxFailedTrialCount", 0);
  if (const auto trials = fields.integer("maxTrialCount", 1))
    spec_.budget.trials = static_cast<std::uint64_t>(*trials);
  if (is_katib_) {
    const bool is_population = spec && string_at(*spec, {"algorithm", "algorithmName"}) == "pbt";
    if (is_population) spec_.checkpoint_folder = fields.text("checkpointDir");  // of a flag
  } else {
    spec_.constraints = fields.texts("constraints");
    spec_.seed = static_cast<std::uint64_t>(fields.integer("seed", 0).value_or(0));
    spec_.deterministic = fields.truth("deterministic");
    // Only checks the limit; the code that makes a trial's manifest applies it.
    duration_of(fields, "timeLimit");
    spec_.checkpoint_folder = fields.text("checkpointDir");
    Fields retry(fields.take("retry"), "spec.retry", problems);
    spec_.retries = retry.count("failures", 0).value_or(0);
    retry.end();
    spec_.is_indexed = fields.word("fanOut", {"jobs", "indexed"}) == "indexed";
    if (const Json* warm = fields.take("warmStart")) spec_.warm_start = *warm;
    if (!spec_.warm_start.is_array()) fields.problem("warmStart", "must be a list of {values, value}");
    read_budget(fields);
    read_fidelity(fields);
  }
  read_algorithm(fields);
  read_stopping(fields);
  read_collector(fields);
  read_trial(fields);
  fields.ignore({"resumePolicy"});  // resumePolicy has no effect, because kml can resume every sweep
  fields.end();
  check();
}

void Reader::read_algorithm(Fields& fields) {
  Fields algorithm(fields.take("algorithm"), "spec.algorithm", problems);
  std::vector<std::string> names = sampler_names();
  names.insert(names.begin(), "auto");
  names.emplace_back("hyperband");
  spec_.algorithm = algorithm.word("algorithmName", names);
  const Json settings = settings_of(algorithm, "algorithmSettings");
  Fields values(&settings, "spec.algorithm.algorithmSettings", problems);
  for (const char* key : {"seed", "random_state"})
    if (const auto seed = values.integer(key, 0)) spec_.seed = static_cast<std::uint64_t>(*seed);
  spec_.startup = values.count("n_startup_trials", 1);
  if (const auto startup = values.count("n_initial_points", 1)) spec_.startup = startup;
  for (const std::string_view name : kUnusedSettings) values.ignore({name});
  if (spec_.algorithm == "hyperband") read_hyperband(values);
  if (spec_.algorithm == "pbt") read_population(values);
  values.end();
  algorithm.end();
}

/// In Katib's hyperband, a trial gets its resource limit as one of its parameters.
void Reader::read_hyperband(Fields& settings) {
  Stopping& stopping = spec_.stopping;
  spec_.algorithm = "random";
  stopping.rule = StopRule::hyperband;
  stopping.promote = true;
  stopping.resource = settings.text("resource_name");
  stopping.eta = settings.number("eta").value_or(3);
  stopping.max = settings.number("r_l").value_or(0);
  const auto named = [&](const Parameter& parameter) { return parameter.name == stopping.resource; };
  const auto found = std::find_if(spec_.parameters.begin(), spec_.parameters.end(), named);
  if (found == spec_.parameters.end())
    return settings.problem("resource_name", "must name the parameter that sets how long a trial runs");
  stopping.min = std::max(1.0, found->low);
  if (stopping.max <= 0) stopping.max = found->high;
  spec_.parameters.erase(found);
}

/// In Katib, suggestion_trial_dir is the folder where a trial finds and saves its checkpoints.
void Reader::read_population(Fields& settings) {
  Population& population = spec_.population;
  population.members = settings.count("n_population", 2).value_or(population.members);
  population.truncation = settings.number("truncation_threshold").value_or(population.truncation);
  population.resample = settings.number("resample_probability");
  if (!(population.truncation >= 0 && population.truncation <= 1))
    settings.problem("truncation_threshold", "must be from 0 to 1");
  if (population.resample && !(*population.resample >= 0 && *population.resample <= 1))
    settings.problem("resample_probability", "must be from 0 to 1");
  if (!is_katib_) return;
  trial_folder_ = settings.text("suggestion_trial_dir");
  while (trial_folder_.ends_with('/')) trial_folder_.pop_back();
  if (trial_folder_.empty()) settings.problem("suggestion_trial_dir", "is missing");
  if (spec_.checkpoint_folder.empty()) spec_.checkpoint_folder = trial_folder_;
}

void Reader::read_budget(Fields& fields) {
  Fields budget(fields.take("budget"), "spec.budget", problems);
  const Json* most = fields.take("maxTrialCount");
  if (const auto trials = budget.integer("trials", 1)) {
    if (most && number_of(*most) != static_cast<double>(*trials))
      budget.problem("trials", "differs from spec.maxTrialCount: give only one of them");
    spec_.budget.trials = static_cast<std::uint64_t>(*trials);
  }
  spec_.budget.wall_time = duration_of(budget, "wallTime");
  spec_.budget.gpu_hours = budget.number("gpuHours");
  if (spec_.budget.gpu_hours && !(*spec_.budget.gpu_hours > 0)) budget.problem("gpuHours", "must be above 0");
  if (const auto target = budget.number("target")) {
    if (spec_.objective.goal && spec_.objective.goal != target)
      budget.problem("target", "differs from spec.objective.goal: give only one of them");
    spec_.objective.goal = target;
  }
  budget.end();
}

void Reader::read_fidelity(Fields& fields) {
  const Json* object = fields.take("fidelity");
  Fields fidelity(object, "spec.fidelity", problems);
  Stopping& stopping = spec_.stopping;
  if (std::string metric = fidelity.text("metric"); !metric.empty()) stopping.resource = metric;
  stopping.max = fidelity.number("max").value_or(0);
  const std::optional<double> min = fidelity.number("min");
  stopping.min = min.value_or(0);  // 0 means that rungs() chooses the minimum
  stopping.eta = fidelity.number("eta").value_or(4);
  std::vector<double>& rungs = stopping.rungs;
  if (const Json* given = fidelity.take("rungs"))
    for (const Json& rung : *given) rungs.push_back(number_of(rung).value_or(0));
  fidelity.end();
  if (!object) return;
  if (!rungs.empty() &&
      (std::adjacent_find(rungs.begin(), rungs.end(), std::greater_equal<>()) != rungs.end() ||
       !(rungs.front() > 0) || !(rungs.back() < stopping.max)))
    fidelity.problem("rungs", "must be a list of rising numbers above 0 and below max");
  if (!(stopping.max > 0))
    fidelity.problem("max", "is missing: the value of the metric at the end of a full trial");
  if (min && (!(*min > 0) || *min > stopping.max)) fidelity.problem("min", "must be above 0 and at most max");
  if (!(stopping.eta > 1)) fidelity.problem("eta", "must be above 1");
}

void Reader::read_stopping(Fields& fields) {
  const Json* object = fields.take("earlyStopping");
  Fields early(object, "spec.earlyStopping", problems);
  if (!object) return;
  Stopping& stopping = spec_.stopping;
  std::vector<std::string> names = stop_rule_names();
  names.emplace_back("medianstop");  // the name that Katib uses for median
  const std::string rule = early.word("algorithmName", names);
  stopping.rule = stop_rule_called(rule);
  if (stopping.rule == StopRule::none) stopping.rule = StopRule::median;
  if (!is_katib_) stopping.promote = early.word("mode", {"stop", "promote"}) == "promote";
  const Json settings = settings_of(early, "algorithmSettings");
  Fields values(&settings, "spec.earlyStopping.algorithmSettings", problems);
  if (stopping.rule == StopRule::median) {
    stopping.min_trials = values.count("min_trials_required", 1).value_or(stopping.min_trials);
    stopping.start = values.number("start_step").value_or(is_katib_ ? 4 : 0);
  } else if (!(stopping.max > 0)) {
    early.problem("algorithmName", rule + " needs spec.fidelity: {metric, max}");
  }
  if (stopping.rule == StopRule::asha) {
    stopping.brackets = static_cast<int>(values.count("brackets", 1).value_or(stopping.brackets));
    stopping.by_best = values.word("compare", {"last", "best"}) == "best";
  }
  values.end();
  early.end();
}

void Reader::read_collector(Fields& fields) {
  Fields spec(fields.take("metricsCollectorSpec"), "spec.metricsCollectorSpec", problems);
  Fields collector(spec.take("collector"), "spec.metricsCollectorSpec.collector", problems);
  // In Katib, None means that trials push their metrics to Katib's database. In this case, too, kml reads the
  // log.
  std::vector<std::string> kinds = {"StdOut", "File", "TensorFlowEvent", "None"};
  if (!is_katib_) kinds.emplace_back("TerminationMessage");
  if (const Json* custom = collector.take("customCollector"); custom || collector.text("kind") == "Custom")
    return collector.problem("kind",
                             "a custom collector (" +
                                 (custom ? string_at(*custom, {"image"}, "without image") : "Custom") +
                                 ") is not supported: use StdOut, File or TensorFlowEvent");
  const std::string kind = collector.word("kind", kinds);
  Fields source(spec.take("source"), "spec.metricsCollectorSpec.source", problems);
  Fields path(source.take("fileSystemPath"), "spec.metricsCollectorSpec.source.fileSystemPath", problems);
  const std::string file = path.text("path");
  spec_.collector.reads_events = kind == "TensorFlowEvent";
  path.word("kind", {spec_.collector.reads_events ? "Directory" : "File"});
  path.word("format", {"TEXT", "JSON"});
  spec_.collector.reads_message = kind == "TerminationMessage" || (kind == "File" && file == kMessageFile);
  if (kind == "File" && !spec_.collector.reads_message)
    spec_.collector.path = file.empty() ? "/var/log/katib/metrics.log" : file;
  if (spec_.collector.reads_events) spec_.collector.path = file.empty() ? "/var/log/katib/tfevent/" : file;
  spec_.collector.has_volume = is_katib_ && !spec_.collector.path.empty();
  Fields filter(source.take("filter"), "spec.metricsCollectorSpec.source.filter", problems);
  spec_.collector.filters = filter.texts("metricsFormat");
  filter.end();
  path.end();
  source.end();
  collector.end();
  spec.end();
}

void Reader::read_trial(Fields& fields) {
  Fields trial(fields.take("trialTemplate"), "spec.trialTemplate", problems);
  if (const Json* list = trial.take("trialParameters"); list && list->is_array())
    for (const Json& entry : *list)
      spec_.trial_parameters[api::entry_name(entry)] = string_at(entry, {"reference"});
  if (const Json* manifest = trial.take("trialSpec"); manifest && manifest->is_object())
    spec_.trial = *manifest;
  else
    trial.problem("trialSpec", "is missing: the manifest of a trial");
  static const std::vector<std::string> kSyntaxes = {"kml", "katib", "wandb"};
  const std::string syntax = trial.word("placeholders", kSyntaxes);
  spec_.placeholders = !trial.take("placeholders") && is_katib_ ? Placeholders::katib
                       : syntax == "katib"                      ? Placeholders::katib
                       : syntax == "wandb"                      ? Placeholders::wandb
                                                                : Placeholders::kml;
  trial.word("valueFormat", {"json", "python"});
  if (!trial_folder_.empty())
    replace_path(spec_.trial, trial_folder_, own_hole(spec_.placeholders, "checkpoint"));
  spec_.conditions.success = trial.text("successCondition");
  spec_.conditions.failure = trial.text("failureCondition");
  spec_.conditions.container = trial.text("primaryContainerName");
  if (const Json* labels = trial.take("primaryPodLabels")) {
    for (const auto& [name, value] : labels->items()) {
      if (value.is_string())
        spec_.conditions.pod_labels[name] = value.get<std::string>();
      else
        trial.problem("primaryPodLabels", "must be a mapping of strings");
    }
  }
  trial.ignore({"retain"});  // has no effect, because kml keeps the objects of all trials
  trial.end();
}

void Reader::check() {
  if (std::string fault = name_fault(spec_.name); !fault.empty())
    problems.push_back({{}, 0, 0, "metadata.name", std::move(fault)});
  if (spec_.stopping.promote && spec_.checkpoint_folder.empty() && !is_katib_)
    problems.push_back(
        {{}, 0, 0, "spec.checkpointDir", "is missing: promoted trials continue from the checkpoints there"});
  if (!problems.empty()) return;
  problems = faults_of(spec_);
  if (!problems.empty() || !is_katib_ || spec_.algorithm != "grid") return;
  // without maxTrialCount, Katib tries the whole grid
  const bool has_limit = find(document_, {"spec", "maxTrialCount"});
  if (const auto size = Space(spec_.parameters, spec_.constraints).size(); size && !has_limit)
    spec_.budget.trials = *size;
}

}  // namespace

SweepSpec parse_sweep(const Json& document, std::string_view source) {
  SweepSpec spec;
  Reader reader(document, spec);
  reader.read();
  if (!reader.problems.empty()) {
    const bool is_by_flags = source == kCommandLine;
    Error error = usage_error((is_by_flags ? "this" : std::string(source)) + " is not a valid sweep");
    for (Problem& problem : reader.problems) problem.file = source;
    if (is_by_flags) name_flags(reader.problems);
    error.problems = std::move(reader.problems);
    throw error;
  }
  spec.document = document;
  return spec;
}

}  // namespace kml::sweep
