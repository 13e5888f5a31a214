#include "pipeline/language/parse_step.h"

#include <algorithm>

#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/base/yaml_texts.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/parameters.h"
#include "kml/job/spec/setting.h"
#include "kml/kube/objects/made_name.h"
#include "kml/pipeline/language/artifact_name.h"
#include "pipeline/language/flag_texts.h"
#include "pipeline/language/foreach.h"
#include "pipeline/language/merged_setting.h"
#include "pipeline/language/step_words.h"

namespace kml::pipeline {

namespace {

/// Keys of kml.yaml that a pipeline handles in a different way.
constexpr std::string_view kNotForSteps[] = {"retries", "code"};

constexpr const char* kNotFilledIn =
    "the path has a placeholder, which is not filled in here; write the path itself";

std::vector<std::string> setting_keys() {
  std::vector<std::string> keys;
  for (const spec::Flag& flag : spec::submit_flags())
    if (!flag.key.empty() &&
        std::find(std::begin(kNotForSteps), std::end(kNotForSteps), flag.key) == std::end(kNotForSteps))
      keys.emplace_back(flag.key);
  return keys;
}

class StepReader {
 public:
  StepReader(Step& step, render::Problems& problems) : step_(step), problems_(problems) {}

  void read(const yaml::Node& key, const yaml::Node& node, const yaml::Node& defaults) {
    step_.name = key.text;
    step_.mark = key.mark;
    path_ = "spec.steps." + key.text;
    step_.settings.kind = yaml::Kind::mapping;
    step_.settings.mark = key.mark;
    if (const std::string problem = api::made_name_problem(key.text, {}); !problem.empty())
      problems_.add(key.mark, path_,
                    "a step's name becomes part of a job's name: \"" + key.text + "\" " + problem);
    if (node.kind != yaml::Kind::mapping)
      return problems_.add(
          node.mark, path_,
          "a step must be a mapping, not " + std::string(node.kind_name()) + "; it needs at least a command");
    check_names(node);
    for (const yaml::Node::Entry& entry : defaults.entries) setting(entry);
    for (const yaml::Node::Entry& entry : node.entries) field(entry);
    for (yaml::Node* flags : {&step_.settings, &step_.sweep, &step_.serve}) keep_flag_texts(*flags);
    check_own_command(node);
  }

 private:
  /// Checks the fields that a sweep step or a serve step has instead of a command.
  void check_own_command(const yaml::Node& node) {
    if (is_sweep(step_) && (node.find("outputs") || node.find("retries")))
      problems_.add(
          step_.mark, path_,
          "a sweep step cannot have outputs or retries; its outputs are best.NAME for each parameter, "
          "and best.value");
    for (const char* key : {"command", "sweep", "outputs", "cache"})
      if (is_serve(step_) && node.find(key))
        problems_.add(node.find(key)->mark, path_,
                      "a serve step cannot have " + std::string(key) +
                          "; its command is in serve, its output is url, and it runs each time");
    if (!node.find("command") && !step_.settings.find("template") && !is_serve(step_))
      problems_.add(step_.mark, path_, "the step has neither a command nor a template");
  }

  void check_names(const yaml::Node& node) {
    std::vector<std::string> known = kStepKeys;
    for (std::string& key : setting_keys()) known.push_back(std::move(key));
    for (const auto& [theirs, ours] : kTheirWords)
      if (const yaml::Node* value = node.find(theirs)) {
        problems_.add(value->mark, path_, "\"" + std::string(theirs) + "\" is called " + ours + " here");
        known.emplace_back(theirs);
      }
    render::check_keys(node, known, path_, problems_);
  }

  void field(const yaml::Node::Entry& entry) {
    const std::string& name = entry.key.text;
    const yaml::Node& value = entry.value;
    if (name == "command") return command(value);
    if (name == "inputs") return each(value, name, &StepReader::input);
    if (name == "outputs") return each(value, name, &StepReader::output);
    if (name == "after") return names(value, name, step_.after);
    if (name == "when") return when(value);
    if (name == "retries") return retries(value);
    if (name == "onFailure") return on_failure(value);
    if (name == "cache") return cache(value);
    if (name == "code") return code(value);
    if (name == "foreach") return read_foreach(value, path_ + ".foreach", step_, problems_);
    if (name == "sweep") return sweep(value);
    if (name == "serve") return serve(value);
    if (name == "timeout") return setting({named("time-limit", entry.key), value});
    setting(entry);
  }

  static yaml::Node named(std::string text, yaml::Node key) {
    key.text = std::move(text);
    return key;
  }

  /// Adds a setting. A later value replaces an earlier one, but maps are merged.
  void setting(const yaml::Node::Entry& entry) {
    if (entry.key.text == "code") return code(entry.value);
    const std::vector<std::string> keys = setting_keys();
    if (std::ranges::find(keys, entry.key.text) == keys.end()) return;  // other code reports unknown keys
    for (yaml::Node::Entry& there : step_.settings.entries)
      if (there.key.text == entry.key.text) return lay_setting_over(there.value, entry.value);
    step_.settings.entries.push_back(entry);
  }

  void wrong(const yaml::Node& node, const std::string& field, std::string text) {
    problems_.add(node.mark, path_ + "." + field, std::move(text));
  }

  void no_placeholder(const yaml::Node& node, const std::string& field, const std::string& problem) {
    if (node.text.find("${") != std::string::npos) wrong(node, field, problem);
    for (const yaml::Node& item : node.items) no_placeholder(item, field, problem);
  }

  void command(const yaml::Node& value) {
    yaml::keep_texts(step_.command = value);
    if (value.kind == yaml::Kind::scalar)
      return wrong(value, "command",
                   "the command must be a list of words, because it runs without a shell; to use a "
                   "shell, write [sh, -c, \"...\"]");
    if (value.kind != yaml::Kind::sequence || value.items.empty())
      wrong(value, "command", "the command must be a non-empty list of words");
  }

  void each(const yaml::Node& value, const std::string& field,
            void (StepReader::*take)(const yaml::Node::Entry&, const std::string&)) {
    if (value.kind != yaml::Kind::mapping)
      return wrong(value, field,
                   field + " must be a mapping, not " + std::string(value.kind_name()) + ": " +
                       (field == "inputs" ? "{data: load.data}" : "{data: file}"));
    for (const yaml::Node::Entry& entry : value.entries) {
      if (!is_name(entry.key.text))
        wrong(entry.key, field,
              "\"" + entry.key.text +
                  "\" is not a valid name: use at most 63 letters, digits, \"-\" and \"_\", with a letter "
                  "first");
      (this->*take)(entry, field + "." + entry.key.text);
    }
  }

  /// Whether the name can be part of a path and of a placeholder.
  static bool is_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !name.empty() && name.size() <= 63 && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
  }

  void input(const yaml::Node::Entry& entry, const std::string& field) {
    Input input{entry.key.text, {}};
    if (entry.value.kind == yaml::Kind::scalar) {
      source(entry.value, field, input);
    } else if (const yaml::Node* list = entry.value.find("oneOf");
               list && list->kind == yaml::Kind::sequence && !list->items.empty()) {
      render::check_keys(entry.value, {"oneOf"}, path_ + "." + field, problems_);
      for (const yaml::Node& item : list->items) source(item, field, input);
    } else if (const yaml::Node* path = entry.value.find("path"); path && !path->text.empty()) {
      render::check_keys(entry.value, {"path"}, path_ + "." + field, problems_);
      input.path = path->text;
      no_placeholder(*path, field + ".path", kNotFilledIn);
    } else if (const yaml::Node* artifact = entry.value.find("artifact"); artifact) {
      render::check_keys(entry.value, {"artifact"}, path_ + "." + field, problems_);
      this->artifact(*artifact, field, input);
    } else {
      wrong(
          entry.value, field,
          "an input must be STEP.OUTPUT or {oneOf: [STEP.OUTPUT, ...]}; if no step makes it, {path: FILE} or "
          "{artifact: NAME}");
    }
    step_.inputs.push_back(std::move(input));
  }

  void artifact(const yaml::Node& node, const std::string& field, Input& input) {
    try {
      if (node.text.find("${") != std::string::npos)
        throw usage_error("the name has a placeholder", "it is not filled in here");
      input.artifact = parse_artifact_name(node.text).text();
    } catch (const Error& error) {
      wrong(node, field, error.message + ": " + error.why);
    }
  }

  void source(const yaml::Node& node, const std::string& field, Input& input) {
    const size_t dot = node.text.find('.');
    if (node.kind != yaml::Kind::scalar || dot == std::string::npos || dot == 0 ||
        dot + 1 == node.text.size())
      return wrong(node, field,
                   "an input must be STEP.OUTPUT" +
                       (node.text.empty() ? ""
                                          : ", not \"" + node.text + "\"; write {path: " + node.text +
                                                "} for a file that no step makes"));
    input.sources.push_back({node.text.substr(0, dot), node.text.substr(dot + 1), node.mark});
  }

  void output(const yaml::Node::Entry& entry, const std::string& field) {
    Output output{entry.key.text};
    const yaml::Node& value = entry.value;
    if (const yaml::Node* metric = value.find("metric")) {
      render::check_keys(value, {"metric"}, path_ + "." + field, problems_);
      output.kind = OutputKind::metric;
      output.metric = metric->text;
      no_placeholder(
          *metric, field + ".metric",
          "the metric's name has a placeholder, which is not filled in here; write the name itself");
      if (metric->text.empty())
        wrong(value, field, "`metric` must be the name that the metric has in the log");
    } else if (const yaml::Node* path = value.find("path")) {
      render::check_keys(value, {"path", "kind"}, path_ + "." + field, problems_);
      if (const yaml::Node* named = value.find("kind")) kind(*named, field + ".kind", output);
      output.path = path->text;
      if (output.kind == OutputKind::metric)
        wrong(value, field, "a metric is read from the log, and has no path");
      if (path->text.empty())
        wrong(value, field, "the path must be the file or folder that the command writes");
      no_placeholder(
          *path, field + ".path",
          "the path has a placeholder; leave it out, and write to ${out." + output.name + "} instead");
    } else {
      kind(value, field, output);
    }
    step_.outputs.push_back(std::move(output));
  }

  void kind(const yaml::Node& value, const std::string& field, Output& output) {
    if (const auto known = output_kind_of(value.text)) {
      output.kind = *known;
      if (known == OutputKind::metric) output.metric = output.name;
      return;
    }
    const std::vector<std::string> names = output_kind_names();
    const std::string guess = did_you_mean(value.text, names);
    wrong(value, field,
          value.kind != yaml::Kind::scalar
              ? "an output must be " + join(names, ", ") + ", {metric: NAME}, or {path: FILE, kind: file}"
              : "unknown kind of output \"" + value.text + "\"; " +
                    (guess.empty() ? "known kinds: " + join(names, ", ") + ", {metric: NAME}" : guess));
  }

  void names(const yaml::Node& value, const std::string& field, std::vector<std::string>& result) {
    if (value.kind == yaml::Kind::scalar) return result.push_back(value.text);
    if (value.kind != yaml::Kind::sequence) return wrong(value, field, field + " must be a list of names");
    for (const yaml::Node& item : value.items) {
      if (item.kind != yaml::Kind::scalar) wrong(item, field, field + " must be a list of names");
      result.push_back(item.text);
    }
  }

  void when(const yaml::Node& value) {
    if (value.kind != yaml::Kind::scalar)
      return wrong(value, "when", "`when` must be a condition, such as \"train.accuracy >= 0.9\"");
    if (value.text.find("${") != std::string::npos)
      return wrong(value, "when", "write names without ${}: train.accuracy >= 0.9");
    try {
      step_.when_mark = value.mark;
      step_.when = Expression(value.text);
      step_.when_steps = steps_in(*step_.when);
    } catch (const Error& error) {
      wrong(value, "when", message_and_why(error));
    }
  }

  void retries(const yaml::Node& value) {
    const yaml::Node* count = value.kind == yaml::Kind::mapping ? value.find("n") : &value;
    if (value.kind == yaml::Kind::mapping)
      render::check_keys(value, {"n", "backoff"}, path_ + ".retries", problems_);
    const auto number = count ? whole_number(count->text) : std::nullopt;
    if (!number || count->text.empty())
      return wrong(value, "retries", "`retries` must be a whole number, or {n: 2, backoff: 10s}");
    step_.retries = *number;
    if (const yaml::Node* backoff = value.find("backoff"))
      duration(*backoff, "retries.backoff", step_.backoff);
  }

  /// Does not check the values of flags, because kml sweep checks them after parameters were filled in.
  void sweep(const yaml::Node& value) {
    const yaml::Node* parameters = value.find("param");
    if (value.kind != yaml::Kind::mapping || !parameters || parameters->kind != yaml::Kind::mapping)
      return wrong(
          value, "sweep",
          "`sweep` must be a mapping of flags of kml sweep run: {param: {lr: \"log:1e-4..1e-1\"}, maximize: "
          "accuracy, trials: 16}");
    render::check_keys(value, kSweepFlags, path_ + ".sweep", problems_);
    if (value.find("maximize") && value.find("minimize"))
      wrong(value, "sweep",
            "`sweep` must have one objective: the step's outputs are those of the best trial");
    step_.sweep = value;
    for (const yaml::Node::Entry& parameter : parameters->entries)
      step_.outputs.push_back({"best." + parameter.key.text, OutputKind::value});
    step_.outputs.push_back({"best.value", OutputKind::value});
  }

  /// Does not check the values of flags, because kml serve does.
  void serve(const yaml::Node& value) {
    const yaml::Node* words = value.find("command");
    if (value.kind != yaml::Kind::mapping || !words)
      return wrong(
          value, "serve",
          "`serve` must be a mapping of a command and flags of kml serve: {command: [python, serve.py, "
          "\"${in.model}\"], port: 8080}");
    render::check_keys(value, kServeFlags, path_ + ".serve", problems_);
    command(*words);
    step_.serve = value;
    std::erase_if(step_.serve.entries, [](const auto& entry) { return entry.key.text == "command"; });
    step_.outputs.push_back({"url", OutputKind::value});
    step_.is_cached = false;
  }

  void duration(const yaml::Node& value, const std::string& field, std::chrono::seconds& result) {
    if (const auto parsed = parse_duration(value.text))
      result = *parsed;
    else
      wrong(value, field, "\"" + value.text + "\" is not a duration; write 90s, 15m or 2h30m");
  }

  void on_failure(const yaml::Node& value) {
    step_.continues = value.text == "continue";
    if (!step_.continues && value.text != "stop")
      wrong(value, "onFailure", "onFailure must be \"stop\" or \"continue\"");
  }

  void cache(const yaml::Node& value) {
    if (value.kind == yaml::Kind::scalar && (value.text == "false" || value.text == "true")) {
      step_.is_cached = value.text == "true";
      return;
    }
    if (value.kind != yaml::Kind::mapping)
      return wrong(value, "cache", "`cache` must be true, false or {maxAge: 7d, salt: TEXT}");
    render::check_keys(value, {"maxAge", "salt"}, path_ + ".cache", problems_);
    if (const yaml::Node* age = value.find("maxAge")) duration(*age, "cache.maxAge", step_.max_age.emplace());
    if (const yaml::Node* salt = value.find("salt")) step_.salt = *salt;
  }

  /// Reads `code`: the folder that is copied to the job, as in kml.yaml, and which of its files are part of
  /// the key. Either may be missing.
  void code(const yaml::Node& value) {
    yaml::Node folder = value;
    if (value.kind == yaml::Kind::mapping) {
      render::check_keys(value, {"folder", "paths"}, path_ + ".code", problems_);
      step_.code_paths.clear();
      if (const yaml::Node* paths = value.find("paths")) {
        names(*paths, "code.paths", step_.code_paths);
        no_placeholder(*paths, "code.paths", kNotFilledIn);
      }
      if (!value.find("folder")) return;
      folder = *value.find("folder");
    }
    if (folder.kind != yaml::Kind::scalar)
      return wrong(value, "code", "`code` must be a folder, or {folder: DIR, paths: [FILE, ...]}");
    yaml::Node key = value;
    key.kind = yaml::Kind::scalar;
    key.text = "code";
    std::erase_if(step_.settings.entries, [](const auto& entry) { return entry.key.text == "code"; });
    step_.settings.entries.push_back({std::move(key), std::move(folder)});
  }

  Step& step_;
  render::Problems& problems_;
  std::string path_;
};

}  // namespace

Step parse_step(const yaml::Node& key, const yaml::Node& node, const yaml::Node& defaults,
                render::Problems& problems) {
  Step step;
  StepReader(step, problems).read(key, node, defaults);
  return step;
}

void check_defaults(const yaml::Node& defaults, render::Problems& problems) {
  std::vector<std::string> known = setting_keys();
  known.emplace_back("code");
  render::check_keys(defaults, known, "spec.defaults", problems);
}

}  // namespace kml::pipeline
