#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/expression.h"
#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/job/render/template.h"
#include "kml/pipeline/language/step_program.h"

namespace kml::pipeline {

/// The kind of a step's output. Datasets, models and artifacts are files or folders; these and the kinds file
/// and folder are identified by their content. A metric is a number in the step's log. A value is a short
/// text, usually from a file that the step writes.
enum class OutputKind { dataset, model, artifact, file, folder, metric, value };

/// The kind's name in pipeline files: "dataset".
std::string_view name_of(OutputKind kind);
/// The kind with this name; empty if there is none.
std::optional<OutputKind> output_kind_of(std::string_view name);
std::vector<std::string> output_kind_names();
/// Whether the output is a file or folder that the store keeps.
inline bool is_tree(OutputKind kind) {
  return kind != OutputKind::metric && kind != OutputKind::value;
}

struct Output {
  std::string name;
  OutputKind kind = OutputKind::artifact;
  std::string metric = {};  ///< for a metric: the name in the log
  /// the path to which the command writes the output, if the command chooses the path
  std::string path = {};
};

/// An output of another step, such as "load.train". An output's name may contain dots: "tune.best.lr".
struct Source {
  std::string step, output;
  yaml::Mark mark = {};

  std::string text() const { return step + "." + output; }
};

/// An input of a step. If it has several sources (`oneOf`), the first one in the list whose output was made
/// is used.
struct Input {
  std::string name;
  std::vector<Source> sources;
  std::string path = {};      ///< instead of sources: a file or folder that no step makes
  std::string artifact = {};  ///< instead of sources: an artifact, as NAME or RUN/STEP.OUTPUT
  bool is_list =
      false;  ///< whether the input comes from a `foreach`: the outputs of all its steps as a list, in order
  bool is_optional = false;  ///< whether the step can run without the input

  /// Whether the input comes from outside the pipeline.
  bool is_outside() const { return !path.empty() || !artifact.empty(); }
  /// The text for an input from outside: "path words.txt", "artifact RUN/train.model".
  std::string text() const { return path.empty() ? "artifact " + artifact : "path " + path; }
};

/// A name and its values, as in `foreach: {seed: [1, 2, 3]}`. The values are a list or a map and may contain
/// placeholders of parameters. With `foreach: {seed: load.seeds}`, another step makes the values: they are
/// the step's input foreach.seed.
struct Each {
  std::string name;
  yaml::Node values;
  bool is_made = false;  ///< whether another step makes the values

  std::string input() const { return "foreach." + name; }
};

struct Step {
  std::string name;
  yaml::Mark mark;
  /// for a sweep: the flags of `kml sweep run` as a mapping; the step's command is then the command of each
  /// trial
  yaml::Node sweep;
  /// for a served model: the flags of `kml serve` as a mapping; the step's command then starts the model's
  /// server
  yaml::Node serve;
  yaml::Node command;   ///< a list of words that may contain placeholders
  yaml::Node settings;  ///< a mapping with keys of kml.yaml, including the pipeline's defaults
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  /// the steps that must end before this one starts, in addition to those whose outputs it uses
  std::vector<std::string> after;
  /// like `after`, but the step is skipped if one of these failed, or was skipped because of a failure
  std::vector<std::string> needs;
  std::optional<Expression> when;  ///< the step is skipped if this is false
  yaml::Mark when_mark = {};
  std::vector<std::string> when_steps = {};  ///< the steps that `when` names
  int retries = 0;
  std::chrono::seconds backoff{0};
  double backoff_factor = 1;  ///< each wait is this many times as long as the previous one
  std::chrono::seconds backoff_most = std::chrono::hours(1);
  /// `onFailure: continue`: if the step fails, the run continues without its outputs
  bool continues = false;
  bool is_cached = true;
  std::optional<std::chrono::seconds> max_age = {};  ///< the maximum age of a result that may be reused
  /// a text that is added to the step's key, with the values of the parameters that it names
  yaml::Node salt = {};
  /// the step runs at the end, whether the other steps succeed or fail
  bool at_exit = false;
  /// a program that computes the command, in place of `command`
  std::shared_ptr<const StepProgram> program = {};
  /// For a compiled task, the parts of its pods that settings cannot express: env, volumes, volumeMounts,
  /// tolerations, affinity, annotations and imagePullPolicy, in the form of a PodSpec. They may contain
  /// placeholders.
  Json pod = Json::object();
  /// if set, no other files of the folder affect the step's result
  std::vector<std::string> code_paths = {};
  std::vector<Each> each = {};  ///< the loops of a `foreach` that is not yet expanded
  /// how many steps of a `foreach` may run at the same time; 0 means all
  int parallel = 0;
  std::string group = {};      ///< for an expanded step: the name of the `foreach` in the file
  Json item = Json::object();  ///< for an expanded step: its values, e.g. {"seed": 1}
  /// For a foreach over outputs of other steps: computes the items of its iterations from its inputs. Throws
  /// Error if the inputs are unsuitable. Once the items are known, this step stays in the list, as finished,
  /// beside the steps of its iterations.
  std::function<std::vector<Json>(const Json& inputs)> items = {};

  const Output* find_output(std::string_view output) const;
};

inline bool is_sweep(const Step& step) {
  return step.sweep.kind != yaml::Kind::null;
}

inline bool is_serve(const Step& step) {
  return step.serve.kind != yaml::Kind::null;
}

/// A pipeline as its file describes it:
///
///     apiVersion: kml.dev/v1
///     kind: Pipeline
///     metadata: {name: iris}
///     spec:
///       params: {trees: {type: int, default: 100, min: 1}}
///       defaults: {image: "python:3.11"}           # for all steps
///       steps:
///         load:
///           command: [python, load.py, "${out.train}"]
///           outputs: {train: dataset}
///         train:
///           inputs: {train: load.train, words: {path: data/words.txt}}   # words is not made by a step;
///                                                  # other such inputs: {artifact: NAME}, stored by kml
///                                                  # artifact put, and {artifact: RUN/STEP.OUTPUT}
///           command: [python, train.py, "${in.train}", "${out.model}", "--trees=${params.trees}"]
///           outputs:
///             model: model
///             accuracy: {metric: accuracy}
///             log: {path: out.log}                 # kml copies this file
///           gpus: 1                                # any key of kml.yaml
///           retries: {n: 2, backoff: 10s}          # or a number
///         deploy:
///           when: train.accuracy >= 0.9
///           inputs: {model: {oneOf: [train.model, fallback.model]}}
///           after: [check]
///           onFailure: continue
///           cache: {maxAge: 7d, salt: "2"}         # or false
///           code: {paths: [deploy.sh]}             # a change of other files does not run it again
///           command: [sh, deploy.sh, "${in.model}"]
///         evaluate:                                # becomes evaluate-0, evaluate-1, evaluate-2
///           foreach: {seed: [1, 2, 3], parallel: 2}   # or a parameter, or load.seeds: a value, a JSON list;
///                                                     # several names: all combinations
///           inputs: {model: train.model}
///           command: [python, evaluate.py, "${in.model}", "--seed=${item.seed}"]
///           outputs: {score: metric}
///         pick:
///           when: min(evaluate.score) > 0.8
///           inputs: {scores: evaluate.score}       # a list, in order; for files, a list of paths
///           command: [python, pick.py, {$splice: "${in.scores}"}]
///         tune:                                    # a sweep; its outputs are best.lr and best.value
///           sweep: {param: {lr: "log:1e-4..1e-1"}, maximize: accuracy, trials: 16, parallel: 4}
///           inputs: {train: load.train}            # the keys of sweep are flags of kml sweep run
///           command: [python, train.py, "${in.train}", "{args}"]
///         serve:                                   # succeeds once the server answers; its output is url
///           inputs: {model: train.model}
///           serve: {name: iris, command: [python, serve.py, "${in.model}"], port: 8080}
///       onExit: {command: [sh, tell.sh, "${run.status}"]}   # when all have ended, with or without success
///
/// A step waits for the steps whose outputs it uses in `inputs` and `when`, and for those in `after`. Its
/// command and settings may contain `${params.X}`, `${in.X}` and `${out.X}` (paths of files and folders,
/// numbers and texts of metrics and values), `${item.X}` of a foreach, `${run.name}`, `${run.scheduled}` and
/// `${step.name}`. Those of onExit may also contain `${run.status}`: succeeded, failed or stopped.
struct Pipeline {
  std::string name;
  std::string file;  ///< the name that messages about the file use
  std::string text;
  /// the folder of the file, as an absolute path; relative paths start there
  std::filesystem::path folder = {};
  std::vector<render::Parameter> parameters;
  std::vector<Step>
      steps;  ///< the steps; each comes after those that it waits for, otherwise in the order of the file
  /// Makes the pipeline for different parameter values. Set only for a compiled pipeline, in which the
  /// parameters may decide which steps exist.
  std::function<Pipeline(const Json& values, const Json& items)> for_values = {};
  /// Makes the pipeline again when the items of more loops are known: see expanded().
  std::function<Pipeline(const Json& items)> with_items = {};

  const Step* find(std::string_view step) const;
  /// The step with that name. For a foreach that has iterations, returns their steps, in order.
  std::vector<const Step*> all_of(std::string_view step) const;
};

/// The steps whose outputs the condition uses.
std::vector<std::string> steps_in(const Expression& condition);

/// The names of the steps that a step waits for, each once.
std::vector<std::string> dependencies(const Step& step);

/// Replaces each step that has a foreach by one step for each combination of its values, named `NAME-0`,
/// `NAME-1` and so on. `params` are the values of the parameters. If a foreach uses outputs of other steps,
/// its step stays; the steps for the values are added if `items` has the result of Step::items under the
/// step's name. Throws one usage Error with the problems found.
Pipeline expanded(const Pipeline& pipeline, const Json& params, const Json& items = Json::object());

/// Reduces the pipeline to these steps, the steps that they need, and those that run at the end and have no
/// inputs. Keeps all steps if `names` is empty. The name of a foreach stands for all its steps. Throws usage
/// Error for an unknown step.
Pipeline restricted(const Pipeline& pipeline, const std::vector<std::string>& names);

/// The values of the parameters: the defaults, replaced by those in `given` ("NAME=VALUE"). Throws one usage
/// Error with the problems found.
Json parameter_values(const Pipeline& pipeline, const std::vector<std::string>& given);

}  // namespace kml::pipeline
