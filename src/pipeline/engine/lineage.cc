#include "kml/pipeline/engine/lineage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/engine/item_name.h"

namespace kml::pipeline {

namespace {

/// A run with its pipeline.
struct KnownRun {
  RunState state;
  Pipeline pipeline;
};

/// Finds runs by their names. Each run is read only once. Runs that were deleted or cannot be read are
/// treated as missing.
class KnownRuns {
 public:
  KnownRuns() = default;  ///< finds the runs on this machine
  explicit KnownRuns(const RunState& only) : is_complete_(true) {
    runs_[only.name()] = KnownRun{only, pipeline_of(only)};
  }

  const KnownRun* find(const std::string& name) {
    const auto [found, is_new] = runs_.try_emplace(name);
    if (is_new && !is_complete_) try {
        RunState state = read_run(name);
        Pipeline pipeline = pipeline_of(state);
        found->second = KnownRun{std::move(state), std::move(pipeline)};
      } catch (const Error&) {
        // A run that cannot be read must not hide others.
      }
    return found->second ? &*found->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<KnownRun>> runs_;
  bool is_complete_ = false;
};

Json described(const Artifact& artifact) {
  Json node = {{"name", artifact.name.text()}, {"kind", name_of(artifact.kind)}};
  for (const char* key : {"digest", "bytes", "files", "value"})
    if (artifact.made.contains(key)) node[key] = artifact.made[key];
  return node;
}

std::optional<Artifact> artifact_of(const KnownRun& run, const std::string& step, const std::string& output) {
  const StepState& state = run.state.step(step);
  const Step* found = run.pipeline.find(step);
  const Output* made = found ? found->find_output(output) : nullptr;
  if (!made || !has_made(state.phase)) return {};
  return Artifact{{run.state.name(), step, output},
                  made->kind,
                  object_at(state.outputs, {output}),
                  state.from.empty() ? run.state.name() : state.from,
                  state.ended.value_or(Time{})};
}

/// The artifact that an input with `artifact` names.
std::optional<Artifact> named_artifact(KnownRuns& runs, const Input& input) {
  const ArtifactName name = parse_artifact_name(input.artifact);
  const KnownRun* other = runs.find(name.run);
  return other ? artifact_of(*other, name.step, name.output) : std::nullopt;
}

/// The artifacts from which the step's input came: for a list, the outputs of all its steps; otherwise, the
/// output of the first step that has made it.
std::vector<Artifact> sources_in(KnownRuns& runs, const KnownRun& run, const Input& input) {
  std::vector<Artifact> found;
  if (!input.artifact.empty())
    if (auto artifact = named_artifact(runs, input)) found.push_back(*std::move(artifact));
  for (const Source& source : input.sources) {
    if (!found.empty() && !input.is_list) break;
    if (auto artifact = artifact_of(run, source.step, source.output)) found.push_back(*std::move(artifact));
  }
  return found;
}

/// The word as the step gets it, apart from its placeholders: in a pipeline, "$$" stands for "$".
std::string with_single_dollars(const std::string& word) {
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    text += word[i];
    if (word.compare(i, 2, "$$") == 0) ++i;
  }
  return text;
}

/// Adds the command. For a component of Kubeflow Pipelines, also adds the name of its function, which is
/// shown instead, because the command contains the whole program.
void add_command(const Json& command, Json& made) {
  made["command"] = command;
  for (Json& word : made["command"])
    if (word.is_string()) word = with_single_dollars(word);
  const auto flag = std::find(command.begin(), command.end(), "--function_to_execute");
  if (flag != command.end() && flag + 1 != command.end()) made["function"] = *(flag + 1);
}

/// The packages that the script of a component of Kubeflow Pipelines installs: "kfp==2.17.3, pandas".
std::string packages_of_script(const std::string& script) {
  std::vector<std::string> packages;
  for (const std::string& line : split(script, '\n')) {
    if (!contains(line, " pip install ")) continue;
    const std::vector<std::string> parts = split(line, '\'');
    for (size_t i = 1; i < parts.size(); i += 2)  // the quoted words
      if (!parts[i].starts_with('-')) packages.push_back(parts[i]);
  }
  return join(packages, ", ");
}

/// Adds the parts of the step's key that show how the artifact was made.
void add_parts(const Json& parts, Json& made) {
  for (const auto& [name, part] : parts.items()) {
    const std::string text = part.get<std::string>();
    if (name == "code" || name == "packages") made[name] = text;
    if (name == "packages to install") made["installs"] = packages_of_script(text);
    if (name.starts_with("program ")) made["programs"][name.substr(8)] = text;
    if (name.starts_with("data ")) made["data"][name.substr(5)] = text;
    if (name.starts_with("param ")) made["params"][name.substr(6)] = Json::parse(text, nullptr, false);
    if (name == "command") add_command(Json::parse(text, nullptr, false), made);
  }
}

class Ancestors {
 public:
  explicit Ancestors(const LocalStore& store, KnownRuns runs = {}) : store_(store), runs_(std::move(runs)) {}

  Json of(const Artifact& artifact) {
    Json node = described(artifact);
    if (!told_.insert(artifact.maker + "/" + artifact.name.step + "." + artifact.name.output).second) {
      node["isAbove"] = true;
      return node;
    }
    if (const KnownRun* maker = runs_.find(artifact.maker)) {
      add_making(*maker, artifact.name.step, node);
    } else if (const KnownRun* user = runs_.find(artifact.name.run)) {
      if (const auto result = store_.find_result(user->state.step(artifact.name.step).key))
        add_result(*result, node);
    }
    return node;
  }

 private:
  void add_making(const KnownRun& run, const std::string& name, Json& node) {
    const StepState& state = run.state.step(name);
    Json made = {{"run", run.state.name()}, {"step", name}, {"job", state.job}};
    if (state.began) made["began"] = rfc3339(*state.began);
    if (state.ended) made["ended"] = rfc3339(*state.ended);
    if (Json commit = run.state.commit(); !commit.is_null()) made["git"] = std::move(commit);
    add_parts(state.parts, made);
    node["made"] = std::move(made);
    const Step* step = run.pipeline.find(name);
    if (!step) return;
    for (const Input& input : step->inputs) {
      const std::vector<Artifact> sources = sources_in(runs_, run, input);
      for (size_t i = 0; i < sources.size(); ++i)
        node["inputs"][input.is_list ? item_name(input.name, i) : input.name] = of(sources[i]);
    }
  }

  /// Adds what the cache still knows about a deleted run.
  static void add_result(const Json& result, Json& node) {
    node["made"] = {{"run", string_at(result, {"run"})},
                    {"step", string_at(result, {"step"})},
                    {"job", string_at(result, {"job"})},
                    {"ended", string_at(result, {"time"})}};
    if (result.contains("git")) node["made"]["git"] = result["git"];
    add_parts(object_at(result, {"parts"}), node["made"]);
    for (const auto& [name, input] : object_at(result, {"inputs"}).items())
      if (!input.is_array())
        node["inputs"][name] = input;
      else
        for (size_t i = 0; i < input.size(); ++i) node["inputs"][item_name(name, i)] = input[i];
  }

  const LocalStore& store_;
  KnownRuns runs_;
  std::set<std::string> told_;
};

class Descendants {
 public:
  Descendants() : names_(run_names()) {}

  Json of(const Artifact& artifact) {
    Json node = described(artifact);
    if (!told_.insert(artifact.name.text()).second) {
      node["isAbove"] = true;
      return node;
    }
    node["uses"] = Json::array();
    for (const std::string& name : names_) {
      const KnownRun* run = runs_.find(name);
      if (!run) continue;
      for (const Step& step : run->pipeline.steps)
        if (run->state.step(step.name).phase == Phase::done && is_read_by(*run, step, artifact))
          node["uses"].push_back(use(*run, step));
    }
    return node;
  }

 private:
  /// Whether the step has read the artifact. Files and folders are compared by their content, values by their
  /// names.
  bool is_read_by(const KnownRun& run, const Step& step, const Artifact& artifact) {
    const auto is_same = [&](const Artifact& source) {
      if (artifact.made.contains("digest"))
        return string_at(source.made, {"digest"}) == string_at(artifact.made, {"digest"});
      return source.maker == artifact.maker && source.name.step == artifact.name.step &&
             source.name.output == artifact.name.output;
    };
    return std::ranges::any_of(step.inputs, [&](const Input& input) {
      return std::ranges::any_of(sources_in(runs_, run, input), is_same);
    });
  }

  Json use(const KnownRun& run, const Step& step) {
    const StepState& state = run.state.step(step.name);
    Json use = {{"run", run.state.name()}, {"step", step.name}, {"job", state.job}};
    if (state.ended) use["ended"] = rfc3339(*state.ended);
    if (Json commit = run.state.commit(); !commit.is_null()) use["git"] = std::move(commit);
    use["outputs"] = Json::array();
    for (const Output& output : step.outputs)
      if (const auto made = artifact_of(run, step.name, output.name)) use["outputs"].push_back(of(*made));
    return use;
  }

  const std::vector<std::string> names_;
  KnownRuns runs_;
  std::set<std::string> told_;
};

}  // namespace

Json lineage_of(const Artifact& artifact, const LocalStore& store) {
  return Ancestors(store).of(artifact);
}

Json lineage_in(const RunState& run, const Artifact& artifact, const LocalStore& store) {
  return Ancestors(store, KnownRuns(run)).of(artifact);
}

Json uses_of(const Artifact& artifact) {
  return Descendants().of(artifact);
}

}  // namespace kml::pipeline
