#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/yaml.h"
#include "kml/pipeline/expression.h"
#include "kml/pipeline/step_program.h"
#include "kml/render/template.h"

namespace kml::pipeline {

/// What a step makes. The first four are files, known by their content; a metric is a number that the step
/// logs, a value a short text that it writes to a file.
enum class OutputKind { dataset, model, file, folder, metric, value };

/// "dataset", as files have it.
std::string_view name_of(OutputKind kind);
/// Whether it is a file or a folder that is kept.
inline bool is_tree(OutputKind kind) {
  return kind != OutputKind::metric && kind != OutputKind::value;
}

struct Output {
  std::string name;
  OutputKind kind = OutputKind::file;
  std::string metric = {};  ///< of a metric: its name in the log
  std::string path = {};    ///< where the command writes it, if that is a place of its own
};

/// "load.train": an output of another step. An output's name may have dots: "tune.best.lr".
struct Source {
  std::string step, output;
  yaml::Mark mark = {};

  std::string text() const { return step + "." + output; }
};

/// What a step reads: of several sources (`oneOf`) the first whose step made it.
struct Input {
  std::string name;
  std::vector<Source> sources;
  std::string path = {};      ///< instead of sources: a file or folder that no step makes
  std::string artifact = {};  ///< instead of sources: an artifact: NAME, or RUN/STEP.OUTPUT
  bool is_list = false;       ///< of all steps that a `foreach` became: what each of them made, in order
  bool is_optional = false;   ///< the step runs without it, too

  /// Whether no step of the pipeline makes it.
  bool is_outside() const { return !path.empty() || !artifact.empty(); }
};

/// `foreach: {seed: [1, 2, 3]}`: a name and its values, a list or a map, with placeholders of parameters.
struct Each {
  std::string name;
  yaml::Node values;
};

struct Step {
  std::string name;
  yaml::Mark mark;
  yaml::Node sweep;     ///< where it is one: a mapping of flags of `kml sweep run`; the command is a trial's
  yaml::Node command;   ///< a list of words with placeholders
  yaml::Node settings;  ///< a mapping with keys of kml.yaml, the pipeline's defaults included
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<std::string> after;  ///< steps that end before it, besides those that it reads from
  std::vector<std::string> needs;  ///< the same; it is skipped if one of them failed
  std::optional<Expression> when;  ///< it is skipped unless this holds
  yaml::Mark when_mark = {};
  std::vector<std::string> when_steps = {};  ///< whose outputs that names
  int retries = 0;
  std::chrono::seconds backoff{0};
  double backoff_factor = 1;  ///< what the next wait is longer by
  std::chrono::seconds backoff_most = std::chrono::hours(1);
  bool continues = false;  ///< `onFailure: continue`: the run goes on without what it would have made
  bool is_cached = true;
  std::optional<std::chrono::seconds> max_age = {};  ///< of a result that is used again
  std::string salt = {};                             ///< part of its key
  bool at_exit = false;                              ///< it runs whether the run succeeds or fails
  std::shared_ptr<const StepProgram> program = {};   ///< in place of the command
  std::vector<std::string> code_paths = {};  ///< the only files of its folder that its result depends on
  std::vector<Each> each = {};               ///< of a step that several are to be made of
  int parallel = 0;                          ///< how many of those at once; 0: all
  std::string group = {};                    ///< of one of those: the name of the step in the file
  Json item = Json::object();                ///< and its values: {"seed": 1}

  const Output* find_output(std::string_view output) const;
};

inline bool is_sweep(const Step& step) {
  return step.sweep.kind != yaml::Kind::null;
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
///           inputs: {train: load.train, words: {path: data/words.txt}}   # the second is made by no step;
///                                                  # nor is {artifact: NAME}, of kml artifact put, or
///                                                  # {artifact: RUN/STEP.OUTPUT}
///           command: [python, train.py, "${in.train}", "${out.model}", "--trees=${params.trees}"]
///           outputs:
///             model: model
///             accuracy: {metric: accuracy}
///             log: {path: out.log}                 # copied from there
///           gpus: 1                                # any key of kml.yaml
///           retries: {n: 2, backoff: 10s}          # or a number
///         deploy:
///           when: train.accuracy >= 0.9
///           inputs: {model: {oneOf: [train.model, fallback.model]}}
///           after: [check]
///           onFailure: continue
///           cache: {maxAge: 7d, salt: "2"}         # or false
///           code: {paths: [deploy.sh]}             # the only files that decide whether it runs again
///           command: [sh, deploy.sh, "${in.model}"]
///         evaluate:                                # becomes evaluate-0, evaluate-1, evaluate-2
///           foreach: {seed: [1, 2, 3], parallel: 2}   # or a parameter; several names: each with each
///           inputs: {model: train.model}
///           command: [python, evaluate.py, "${in.model}", "--seed=${item.seed}"]
///           outputs: {score: metric}
///         pick:
///           when: min(evaluate.score) > 0.8
///           inputs: {scores: evaluate.score}       # a list, in order; of files, of their paths
///           command: [python, pick.py, {$splice: "${in.scores}"}]
///         tune:                                    # a sweep, by flags of kml sweep run; it makes best.lr,
///         best.value
///           sweep: {param: {lr: "log:1e-4..1e-1"}, maximize: accuracy, trials: 16, parallel: 4}
///           inputs: {train: load.train}
///           command: [python, train.py, "${in.train}", "{args}"]
///       onExit: {command: [sh, tell.sh, "${run.status}"]}   # once all have ended, however they did
///
/// A step waits for those whose outputs it reads, in `inputs` and in `when`, and for those in `after`. Its
/// command and settings know `${params.X}`, `${in.X}` and `${out.X}` (paths of files and folders, values of
/// metrics and values), `${item.X}` of a foreach, `${run.name}` and `${step.name}`; onExit's also
/// `${run.status}`: succeeded, failed or stopped.
struct Pipeline {
  std::string name;
  std::string file;  ///< as problems name it
  std::string text;
  std::filesystem::path folder = {};  ///< the file's, absolute: what is relative in it is so to that
  std::vector<render::Parameter> parameters;
  std::vector<Step> steps;  ///< each after those that it waits for; else as in the file
  /// Makes it for the values of a run's parameters, where these decide its steps.
  std::function<Pipeline(const Json& values)> for_values = {};

  const Step* find(std::string_view step) const;
  /// The step of that name; of a foreach, the steps that it became, in order.
  std::vector<const Step*> all_of(std::string_view step) const;
};

/// The steps whose outputs a condition names.
std::vector<std::string> steps_in(const Expression& condition);

/// Names of the steps that a step waits for, each once.
std::vector<std::string> dependencies(const Step& step);

/// The text may also be a compiled pipeline of Kubeflow (see kfp/import.h). Throws one Error (usage) with
/// every problem, its line, column and the nearest name: unknown fields, steps and outputs, a cycle, an
/// output that nothing makes or a kind that does not fit.
Pipeline parse_pipeline(std::string_view text, const std::string& file);

/// The pipeline as it runs with these parameters: each step with a foreach became one for each of its values,
/// as `NAME-0`, `NAME-1`, ... Throws one Error (usage) with every problem.
Pipeline expanded(const Pipeline& pipeline, const Json& params);

/// The pipeline with these steps and what they need alone, and what runs at the end; all of it if `names` is
/// empty. Names of a foreach stand for all that it became. Throws usage Error for a step that is not there.
Pipeline restricted(const Pipeline& pipeline, const std::vector<std::string>& names);

/// The parameters' values: defaults, and over them `given` ("NAME=VALUE"). Throws one Error (usage) with
/// every problem.
Json parameter_values(const Pipeline& pipeline, const std::vector<std::string>& given);

}  // namespace kml::pipeline
