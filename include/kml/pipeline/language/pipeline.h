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

/// The kind of a step's output. A dataset, a model and an artifact are files or folders; these and the next
/// two are identified by their content. A metric is a number in the step's log. A value is a short text that
/// the step writes to a file.
enum class OutputKind { dataset, model, artifact, file, folder, metric, value };

/// "dataset": the name in files.
std::string_view name_of(OutputKind kind);
/// Whether the output is a file or folder that the store keeps.
inline bool is_tree(OutputKind kind) {
  return kind != OutputKind::metric && kind != OutputKind::value;
}

struct Output {
  std::string name;
  OutputKind kind = OutputKind::artifact;
  std::string metric = {};  ///< for a metric: its name in the log
  std::string path = {};    ///< where the command writes it, if it chooses the path itself
};

/// "load.train": an output of another step. An output's name may have dots: "tune.best.lr".
struct Source {
  std::string step, output;
  yaml::Mark mark = {};

  std::string text() const { return step + "." + output; }
};

/// An input of a step. If it has several sources (`oneOf`), the first output that was made is used.
struct Input {
  std::string name;
  std::vector<Source> sources;
  std::string path = {};      ///< instead of sources: a file or folder that is not made by a step
  std::string artifact = {};  ///< instead of sources: an artifact, as NAME or RUN/STEP.OUTPUT
  bool is_list = false;       ///< from all steps of a `foreach`: a list of their outputs, in order
  bool is_optional = false;   ///< the step also runs without it

  /// Whether it comes from outside the pipeline.
  bool is_outside() const { return !path.empty() || !artifact.empty(); }
  /// For an input from outside: "path words.txt", "artifact RUN/train.model".
  std::string text() const { return path.empty() ? "artifact " + artifact : "path " + path; }
};

/// `foreach: {seed: [1, 2, 3]}`: a name and its values. The values are a list or a map and may contain
/// placeholders of parameters. With `foreach: {seed: load.seeds}` they are the step's input foreach.seed.
struct Each {
  std::string name;
  yaml::Node values;
  bool is_made = false;  ///< by another step

  std::string input() const { return "foreach." + name; }
};

struct Step {
  std::string name;
  yaml::Mark mark;
  yaml::Node sweep;  ///< for a sweep: flags of `kml sweep run`, as a mapping; the command is a trial's
  yaml::Node serve;  ///< for a served model: flags of `kml serve`, as a mapping; the command is the server's
  yaml::Node command;   ///< a list of words that may contain placeholders
  yaml::Node settings;  ///< a mapping with keys of kml.yaml, including the pipeline's defaults
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<std::string> after;  ///< steps that must end before it, besides those it reads from
  std::vector<std::string> needs;  ///< like `after`, but the step is skipped if one of them failed
  std::optional<Expression> when;  ///< the step is skipped unless this is true
  yaml::Mark when_mark = {};
  std::vector<std::string> when_steps = {};  ///< the steps that `when` names
  int retries = 0;
  std::chrono::seconds backoff{0};
  double backoff_factor = 1;  ///< each wait is longer than the last by this factor
  std::chrono::seconds backoff_most = std::chrono::hours(1);
  bool continues = false;  ///< `onFailure: continue`: if it fails, the run continues without its outputs
  bool is_cached = true;
  std::optional<std::chrono::seconds> max_age = {};  ///< maximum age of a result to reuse
  std::string salt = {};                             ///< a text that is part of its key
  bool at_exit = false;                              ///< runs at the end, whether the run succeeds or fails
  std::shared_ptr<const StepProgram> program = {};   ///< replaces the command
  /// For a compiled task, the parts of its pods that settings cannot express, with placeholders: env,
  /// volumes, volumeMounts, tolerations, affinity, annotations and imagePullPolicy, in the form of a PodSpec.
  Json pod = Json::object();
  std::vector<std::string> code_paths = {};  ///< if set, its result depends on no other files of its folder
  std::vector<Each> each = {};               ///< the loops of a `foreach` that is not yet expanded
  int parallel = 0;                          ///< how many steps of a `foreach` run at once; 0: all
  std::string group = {};                    ///< for an expanded step: the name of the `foreach` in the file
  Json item = Json::object();                ///< for an expanded step: its values, e.g. {"seed": 1}
  /// For a foreach over outputs of other steps: computes the items of its iterations from its inputs. Throws
  /// Error if the inputs do not fit. Once the items are known, this step stays in the list, as finished,
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
/// numbers and texts of metrics and values), `${item.X}` of a foreach, `${run.name}` and `${step.name}`.
/// Those of onExit may also contain `${run.status}`: succeeded, failed or stopped.
struct Pipeline {
  std::string name;
  std::string file;  ///< the name for problems
  std::string text;
  std::filesystem::path folder = {};  ///< the file's folder, absolute; relative paths start there
  std::vector<render::Parameter> parameters;
  std::vector<Step> steps;  ///< each after the steps that it waits for, otherwise in the file's order
  /// Makes the pipeline for other parameter values. Set only if the parameters decide which steps exist.
  std::function<Pipeline(const Json& values, const Json& items)> for_values = {};
  /// Makes the pipeline again when more items of loops are known: see expanded().
  std::function<Pipeline(const Json& items)> with_items = {};

  const Step* find(std::string_view step) const;
  /// The step with that name. For a foreach, the steps of its iterations, in order.
  std::vector<const Step*> all_of(std::string_view step) const;
};

/// The steps whose outputs the condition uses.
std::vector<std::string> steps_in(const Expression& condition);

/// The names of the steps that a step waits for, each once.
std::vector<std::string> dependencies(const Step& step);

/// Replaces each step with a foreach by one step for each value, with the names `NAME-0`, `NAME-1`, ..., for
/// these parameters. A foreach over outputs of other steps is replaced if `items` has the result of
/// Step::items under the step's name. Throws one Error (usage) with every problem.
Pipeline expanded(const Pipeline& pipeline, const Json& params, const Json& items = Json::object());

/// Reduces the pipeline to these steps, the steps that they need, and those that run at the end. Keeps all
/// steps if `names` is empty. The name of a foreach means all its steps. Throws usage Error for an unknown
/// step.
Pipeline restricted(const Pipeline& pipeline, const std::vector<std::string>& names);

/// The values of the parameters: the defaults, replaced by those in `given` ("NAME=VALUE"). Throws one Error
/// (usage) with every problem.
Json parameter_values(const Pipeline& pipeline, const std::vector<std::string>& given);

}  // namespace kml::pipeline
