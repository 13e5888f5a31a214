#include "sweep/spec/indexed_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/samplers/sampler.h"
#include "sweep/spec/holes.h"

namespace kml::sweep {

namespace {

/// The name of the first column, which no parameter can have.
constexpr const char* kNumber = "";

/// The script for a container, and the words that it receives. The script only contains references. Text from
/// the manifest is passed in arguments, so that it can never become a command.
class Wrapper {
 public:
  Wrapper(const SweepSpec& spec, const std::vector<std::string>& columns)
      : spec_(spec), holes_(spec), columns_(columns) {}

  /// Wraps the container if it has holes. Returns whether it has any.
  bool wrap(Json& container, const std::string& folder, size_t lines) {
    std::string run = "exec";
    for (const char* key : {"command", "args"})
      for (const Json& word : array_at(container, {key})) run += " " + word_of(word.get<std::string>());
    std::string exports;
    Json env = Json::array();
    for (const Json& variable : api::variables_of(container)) {
      const std::vector<Piece> pieces = holes_.pieces(api::value_of(variable));
      if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_hole; }))
        exports += fmt::format("export {}={}\n", api::entry_name(variable), reference_to(pieces));
      else
        env.push_back(variable);
    }
    if (holes_met_ == 0) return false;
    exports += "export KML_TRIAL=\"$kml_0\"\n";
    if (!spec_.checkpoint_folder.empty()) exports += "export KML_CHECKPOINT=" + variable("checkpoint") + "\n";
    const std::string script = fmt::format(
        "line=$(sed -n \"$((JOB_COMPLETION_INDEX % {0} + 1)){{p;q;}}\" "
        "\"{1}/$((JOB_COMPLETION_INDEX / {0}))/trials\") || exit\n"
        "[ -n \"$line\" ] || {{ echo \"the sweep's table has no line for index $JOB_COMPLETION_INDEX\" >&2; "
        "exit 1; }}\n"
        "eval \"$line\"\n{2}{3}",
        lines, folder, exports, run);
    container["command"] = {"sh", "-c", script, "sh"};
    container["args"] = words_;
    if (container.contains("env")) container["env"] = env;
    return true;
  }

 private:
  std::string variable(const std::string& hole) const {
    const auto found = std::find(columns_.begin(), columns_.end(), hole);
    return fmt::format("\"$kml_{}\"", found - columns_.begin());
  }

  std::string argument(const std::string& text) {
    words_.push_back(text);
    return fmt::format("\"${{{}}}\"", words_.size());
  }

  /// An inactive parameter has no variable, so its argument is left out.
  std::string all_arguments() {
    std::string words;
    for (const Parameter& parameter : spec_.parameters) {
      const std::string name = variable(parameter.name);
      words += fmt::format("{}${{{}+{}{}}}", words.empty() ? "" : " ", name.substr(2, name.size() - 3),
                           argument("--" + parameter.name + "="), name);
    }
    ++holes_met_;
    return words;
  }

  std::string word_of(const std::string& word) {
    return holes_.list_at(word).empty() ? reference_to(holes_.pieces(word)) : all_arguments();
  }

  std::string reference_to(const std::vector<Piece>& pieces) {
    std::string reference;
    for (const Piece& piece : pieces) {
      holes_met_ += piece.is_hole ? 1 : 0;
      reference += piece.is_hole ? variable(piece.text) : argument(piece.text);
    }
    return reference.empty() ? "\"\"" : reference;
  }

  const SweepSpec& spec_;
  const Holes holes_;
  const std::vector<std::string>& columns_;
  std::vector<std::string> words_;
  size_t holes_met_ = 0;
};

void append(Json& list, const Json& more) {
  for (const Json& each : more) list.push_back(each);
}

void collect_holes(const Holes& holes, const Json& value, std::vector<std::string>& names) {
  if (value.is_structured())
    for (const Json& each : value) collect_holes(holes, each, names);
  if (!value.is_string() || !holes.list_at(value).empty()) return;
  for (const Piece& piece : holes.pieces(value))
    if (piece.is_hole && std::find(names.begin(), names.end(), piece.text) == names.end())
      names.push_back(piece.text);
}

}  // namespace

IndexedTemplate::IndexedTemplate(const SweepSpec& spec) : spec_(spec), columns_{kNumber} {
  for (const Parameter& parameter : spec.parameters) columns_.push_back(parameter.name);
  if (!spec.checkpoint_folder.empty()) columns_.emplace_back("checkpoint");
  collect_holes(Holes(spec), api::spec_of(spec.trial), columns_);
  collect_holes(Holes(spec), spec.collector.path, columns_);  // the path becomes part of the command
}

std::string IndexedTemplate::line(const TrialJob& job) const {
  const Holes holes(spec_);
  const Filling filling = holes.filling(job);
  std::string line = fmt::format("kml_0={}", job.trial);
  for (size_t i = 1; i < columns_.size(); ++i) {
    const auto value = filling.values.find(columns_[i]);
    const bool is_args = columns_[i] == "args";
    if (!is_args && value == filling.values.end()) continue;
    const std::vector<std::string> text = {is_args ? shell_quoted(filling.lists.at("args"))
                                                   : holes.text(value->second)};
    line += fmt::format(" kml_{}={}", i, shell_quoted(text));
  }
  return line;
}

Json IndexedTemplate::wrapped(const Json& trial, const std::string& folder,
                              const std::vector<std::string>& maps, size_t lines) const {
  Json job = trial, volumes = Json::array(), mounts = Json::array();
  for (size_t i = 0; i < maps.size(); ++i) {
    const std::string name = fmt::format("kml-trials-{}", i);
    volumes.push_back({{"name", name}, {"configMap", {{"name", maps[i]}}}});
    mounts.push_back({{"name", name}, {"mountPath", fmt::format("{}/{}", folder, i)}, {"readOnly", true}});
  }
  Json& pod = job["spec"]["template"]["spec"];
  append(pod["volumes"], volumes);
  for (const char* key : {"initContainers", "containers"})
    if (pod.contains(key))
      for (Json& container : pod[key])
        if (Wrapper(spec_, columns_).wrap(container, folder, lines))
          append(container["volumeMounts"], mounts);
  return job;
}

namespace {

/// Kubernetes only allows more indexes if the parallelism is low and the number of failed indexes is limited
/// (batch/v1 Job validation).
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
    if (api::api_version_of(spec_.trial) != "batch/v1" || api::kind_name(spec_.trial) != "Job") {
      add(kTrial + ".kind", "is not a batch/v1 Job, which is the only kind with indexes");
      return std::move(problems_);
    }
    look_at_job();
    look_at_holes(spec_.trial, kTrial);
    if (spec_.placeholders == Placeholders::wandb) look_at_macros(spec_.trial);
    return std::move(problems_);
  }

 private:
  void add(std::string path, std::string text) {
    problems_.push_back({{}, 0, 0, std::move(path), std::move(text)});
  }

  void look_at_strategy() {
    const std::string algorithm = algorithm_of(spec_, Space(spec_.parameters, spec_.constraints));
    if (algorithm != "grid" && algorithm != "random" && algorithm != "sobol")
      add("spec.algorithm.algorithmName",
          algorithm + " learns from results, but all trials start at once: use grid, random or sobol");
    if (spec_.stopping.rule != StopRule::none)
      add("spec.earlyStopping", "is not possible: a single index cannot be stopped");
    if (spec_.budget.wall_time)
      add("spec.budget.wallTime", "is not possible: the cluster starts the trials by itself");
    if (spec_.budget.gpu_hours)
      add("spec.budget.gpuHours", "is not possible: the cluster starts the trials by itself");
    if (spec_.budget.trials > kMostIndexes)
      add("spec.maxTrialCount", "is more than " + std::to_string(kMostIndexes) + ", the maximum for one Job");
    for (const Parameter& parameter : spec_.parameters)
      for (const Json& choice : parameter.choices)
        if (holes_.text(choice).find('\n') != std::string::npos)
          add("spec.parameters", parameter.name + " has a value with several lines");
  }

  void look_at_job() {
    const Json& job = api::spec_of(spec_.trial);
    for (const char* field : {"completions", "parallelism"})
      if (int_at(job, {field}, 1) != 1) add(kTrial + ".spec." + field, "must be 1: a trial is one pod");
    for (const char* field : {"completionMode", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes"})
      if (job.contains(field)) add(kTrial + ".spec." + field, "is set by the sweep");
    if (string_at(job, {"template", "spec", "restartPolicy"}) != "Never")
      add(kTrial + ".spec.template.spec.restartPolicy", "must be Never: an index is retried by a new pod");
    for (const Json& rule : api::failure_rules_in(job))
      if (api::action_of(rule) == "FailJob")
        add(kTrial + ".spec.podFailurePolicy.rules", "has a FailJob rule, which would stop all trials");
  }

  bool has_hole(const Json& value) const {
    if (value.is_structured())
      return std::any_of(value.begin(), value.end(), [&](const Json& each) { return has_hole(each); });
    if (!value.is_string()) return false;
    const std::vector<Piece> pieces = holes_.pieces(value);
    return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_hole; });
  }

  /// Holes are only allowed in the words of a container's command, and in its environment.
  void look_at_holes(const Json& value, const std::string& path) {
    if (value.is_string() && has_hole(value))
      add(path, "is the same for all trials: parameters can only be in commands and environment variables");
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
      else if (!is_note || key != "annotations")  // annotations in metadata only describe the submit
        look_at_holes(child, path + "." + key);
    }
  }

  /// The table of an Indexed Job has a separate entry for each value, so macros for all values are not
  /// possible.
  void look_at_macros(const Json& value) {
    if (value.is_structured())
      for (const Json& each : value) look_at_macros(each);
    const std::string macro = holes_.list_at(value);
    const bool is_nested = std::any_of(spec_.parameters.begin(), spec_.parameters.end(),
                                       [](const Parameter& each) { return !each.parents.empty(); });
    if (macro == "args" ? is_nested : !macro.empty())
      add(kTrial, "has ${" + macro + "}, for which each trial needs a separate Job");
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
      if (const std::string name = api::entry_name(variable); !is_variable(name))
        add(path + ".env", "\"" + name + "\" is not a valid shell variable");
    }
    if (is_wrapped && api::command_of(container).empty())
      add(path + ".command",
          "is missing: the sweep must know the command, because it adds the parameters to it");
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
