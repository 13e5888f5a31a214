#include "pipeline/file/parse_pipeline.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <set>

#include "kml/base/package.h"
#include "kml/base/text.h"
#include "kml/base/yaml_texts.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/parameters.h"
#include "kml/job/render/problems.h"
#include "kml/kube/objects/made_name.h"
#include "pipeline/file/parameter_texts.h"
#include "pipeline/kfp/import.h"
#include "pipeline/language/foreach.h"
#include "pipeline/language/parse_step.h"

namespace kml::pipeline {

namespace {

const std::vector<std::string> kScopeNames = {"params", "in", "out", "item", "run", "step"};

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// Checks what a step refers to: other steps, parameters, inputs and outputs.
class ReferenceCheck {
 public:
  ReferenceCheck(const Pipeline& pipeline, const Step& step, render::Problems& problems)
      : pipeline_(pipeline), step_(step), problems_(problems), path_("spec.steps." + step.name) {}

  void run() {
    for (const std::string& name : step_.after) step_named(name, step_.mark, ".after");
    for (const Input& input : step_.inputs) this->input(input);
    if (step_.when)
      for (const std::string& name : step_.when->names()) name_in_condition(name);
    try {
      placeholders(step_.command, ".command");
      placeholders(step_.settings, "");
      placeholders(step_.sweep, ".sweep");
      placeholders(step_.serve, ".serve");
      placeholders(step_.salt, ".cache.salt");
    } catch (const Error&) {
      return;  // check_body() has already reported this
    }
  }

 private:
  const Step* step_named(const std::string& name, yaml::Mark mark, const std::string& field) {
    const Step* found = pipeline_.find(name);
    if (name == step_.name)
      problems_.add(mark, path_ + field, "the step waits for itself");
    else if (!found)
      problems_.add(mark, path_ + field,
                    "no step \"" + name + "\"; " +
                        hint(name, names_of(pipeline_.steps), "the pipeline has only this step"));
    return found == &step_ ? nullptr : found;
  }

  const Output* output_named(const Source& source, const std::string& field) {
    const Step* step = step_named(source.step, source.mark, field);
    const Output* found = step ? step->find_output(source.output) : nullptr;
    if (step && !found)
      problems_.add(source.mark, path_ + field,
                    "step \"" + step->name + "\" has no output \"" + source.output + "\"; " +
                        hint(source.output, names_of(step->outputs), "it has none"));
    return found;
  }

  void input(const Input& input) {
    const std::string field = (is_for_foreach(input) ? "." : ".inputs.") + input.name;
    std::set<bool> sorts;
    for (const Source& source : input.sources)
      if (const Output* output = output_named(source, field)) sorts.insert(is_tree(output->kind));
    const bool joins_many =
        std::any_of(input.sources.begin(), input.sources.end(), [&](const Source& source) {
          const Step* step = pipeline_.find(source.step);
          return step && !step->each.empty();
        });
    if (input.sources.size() > 1 && joins_many)
      problems_.add(input.sources[0].mark, path_ + field, "oneOf cannot join the steps of a foreach");
    if (is_for_foreach(input) && sorts.contains(true))
      problems_.add(
          input.sources[0].mark, path_ + field,
          input.sources[0].text() + " is not a value; foreach needs a value that is a JSON list or map");
    if (sorts.size() > 1)
      problems_.add(input.sources[0].mark, path_ + field,
                    "oneOf mixes files and values; its sources must be all files, or all values");
  }

  void name_in_condition(const std::string& name) {
    const size_t dot = name.find('.');
    const std::string first = name.substr(0, dot),
                      second = dot == std::string::npos ? "" : name.substr(dot + 1);
    const auto wrong = [&](std::string text) {
      problems_.add(step_.when_mark, path_ + ".when", std::move(text));
    };
    if (second.empty()) return wrong("\"" + name + "\" is not a value; write STEP.OUTPUT or params.NAME");
    if (first == "params") return parameter(second);
    const Output* output = output_named({first, second, step_.when_mark}, ".when");
    if (output && is_tree(output->kind))
      wrong(name + " is a " + std::string(name_of(output->kind)) +
            ", which has no value; a condition compares metrics and values");
  }

  void parameter(const std::string& name) {
    const std::vector<std::string> known = names_of(pipeline_.parameters);
    if (std::find(known.begin(), known.end(), name) == known.end())
      problems_.add(step_.when_mark, path_ + ".when",
                    "no parameter \"" + name + "\"; " + hint(name, known, "the pipeline has none"));
  }

  void placeholders(const yaml::Node& body, const std::string& field) {
    render::each_placeholder(body, [&](const std::string& name, const yaml::Node& scalar) {
      const size_t dot = name.find('.');
      const std::string first = name.substr(0, dot);
      if (std::find(kScopeNames.begin(), kScopeNames.end(), first) == kScopeNames.end()) return;
      if (const std::string problem =
              problem_of(first, dot == std::string::npos ? "" : name.substr(dot + 1), field);
          !problem.empty())
        problems_.add(scalar.mark, path_ + field, "${" + name + "}: " + problem);
    });
  }

  std::string problem_of(const std::string& first, const std::string& rest, const std::string& field) {
    const std::string second = rest.substr(0, rest.find('.'));
    if (second.empty()) return "write " + first + ".NAME";
    if (first == "run" && second == "name" && field == ".cache.salt")
      return "it has no effect here; `cache: false` runs the step in each run";
    if (first == "run") {
      const bool is_known =
          second == "name" || second == "scheduled" || (second == "status" && step_.at_exit);
      return is_known        ? ""
             : step_.at_exit ? "write run.name, run.scheduled or run.status"
                             : "write run.name or run.scheduled";
    }
    if (first == "step") return second == "name" ? "" : "write step.name";
    std::vector<std::string> known;
    if (first == "item") known = names_of(step_.each);
    if (first == "params") known = names_of(pipeline_.parameters);
    if (first == "in") known = names_of(step_.inputs);
    for (const Output& output : step_.outputs)
      if (first == "out" && output.kind != OutputKind::metric) known.push_back(output.name);
    if (std::find(known.begin(), known.end(), second) != known.end()) return {};
    if (first == "out" && step_.find_output(second)) return "a metric is read from the log, and has no file";
    const std::string what = first == "params" ? "parameter"
                             : first == "in"   ? "input"
                             : first == "item" ? "name in foreach"
                                               : "output";
    return "no " + what + " \"" + second + "\"; " +
           hint(second, known, first == "params" ? "the pipeline has none" : "the step has none");
  }

  const Pipeline& pipeline_;
  const Step& step_;
  render::Problems& problems_;
  const std::string path_;
};

/// A path in a cycle, from a step back to itself: "a -> b -> a".
std::string cycle_from(const std::list<Step>& left) {
  std::vector<std::string> path{left.front().name};
  const auto named = [&](const std::string& name) {
    return std::find_if(left.begin(), left.end(), [&](const Step& step) { return step.name == name; });
  };
  while (true) {
    for (const std::string& name : dependencies(*named(path.back())))
      if (named(name) != left.end()) {
        const auto seen = std::find(path.begin(), path.end(), name);
        if (seen != path.end()) {
          path.erase(path.begin(), seen);
          path.push_back(name);
          return join(path, " -> ");
        }
        path.push_back(name);
        break;
      }
  }
}

class PipelineReader {
 public:
  PipelineReader(Pipeline& pipeline, render::Problems& problems) : pipeline_(pipeline), problems_(problems) {}

  void read(const yaml::Node& root) {
    if (root.kind != yaml::Kind::mapping || text_at(root, "apiVersion") != "kml.dev/v1" ||
        text_at(root, "kind") != "Pipeline")
      return problems_.add(root.mark, {},
                           "not a pipeline: it must have \"apiVersion: kml.dev/v1\" and \"kind: Pipeline\"");
    render::check_keys(root, {"apiVersion", "kind", "metadata", "spec"}, {}, problems_);
    name(root);
    const yaml::Node* spec = root.find("spec");
    if (!spec || spec->kind != yaml::Kind::mapping)
      return problems_.add(root.mark, "spec", "a pipeline needs a spec with steps");
    render::check_keys(*spec, {"params", "defaults", "steps", "onExit"}, "spec", problems_);
    if (const yaml::Node* params = spec->find("params"))
      pipeline_.parameters = parameters_of(*params, problems_);
    steps(*spec);
  }

 private:
  static std::string text_at(const yaml::Node& node, std::string_view key) {
    const yaml::Node* value = node.find(key);
    return value ? value->text : "";
  }

  void name(const yaml::Node& root) {
    const yaml::Node* metadata = root.find("metadata");
    const yaml::Node* name = metadata ? metadata->find("name") : nullptr;
    if (!name) return problems_.add(root.mark, "metadata", "a pipeline needs metadata.name");
    render::check_keys(*metadata, {"name"}, "metadata", problems_);
    pipeline_.name = name->text;
    if (const std::string problem =
            api::made_name_problem(name->text, {kLongestName, "runs and jobs are named after the pipeline"});
        !problem.empty())
      problems_.add(name->mark, "metadata.name", "\"" + name->text + "\" " + problem);
  }

  void steps(const yaml::Node& spec) {
    const yaml::Node none;
    const yaml::Node* defaults = spec.find("defaults");
    if (defaults) check_defaults(*defaults, problems_);
    const yaml::Node* steps = spec.find("steps");
    if (!steps || steps->kind != yaml::Kind::mapping || steps->entries.empty())
      return problems_.add(steps ? steps->mark : spec.mark, "spec.steps",
                           "a pipeline needs steps: a mapping from step names to steps");
    for (const yaml::Node::Entry& entry : steps->entries) {
      Step step = parse_step(entry.key, entry.value, defaults ? *defaults : none, problems_);
      const std::string path = "spec.steps." + step.name;
      render::check_body(step.command, kScopeNames, problems_, path + ".command");
      render::check_body(step.settings, kScopeNames, problems_, path);
      render::check_body(step.sweep, kScopeNames, problems_, path + ".sweep");
      render::check_body(step.serve, kScopeNames, problems_, path + ".serve");
      render::check_body(step.salt, {"params", "item", "run"}, problems_, path + ".cache.salt");
      pipeline_.steps.push_back(std::move(step));
    }
    for (const yaml::Node::Entry& entry : spec.entries)
      if (entry.key.text == "onExit") on_exit(entry, defaults ? *defaults : none);
    for (const Step& step : pipeline_.steps) ReferenceCheck(pipeline_, step, problems_).run();
    order();
  }

  /// Adds the onExit step, which is like other steps but runs last.
  void on_exit(const yaml::Node::Entry& entry, const yaml::Node& defaults) {
    yaml::Node key = entry.key;
    key.text = "on-exit";
    if (const Step* same = pipeline_.find(key.text))
      return problems_.add(same->mark, "spec.steps.on-exit", "this name is reserved for the step of onExit");
    Step step = parse_step(key, entry.value, defaults, problems_);
    for (const char* field : {"inputs", "after", "when", "foreach"})
      if (const yaml::Node* node = entry.value.find(field))
        problems_.add(node->mark, "spec.onExit",
                      std::string(field) + " has no effect here: the step runs at the end");
    step.at_exit = true;
    step.is_cached = false;
    for (const Step& other : pipeline_.steps) step.after.push_back(other.name);
    pipeline_.steps.push_back(std::move(step));
  }

  /// Sorts the steps so that each step comes after the steps it waits for. Otherwise, keeps the order of the
  /// file.
  void order() {
    // a list, because there may be thousands of steps
    std::list<Step> left(std::move_iterator(pipeline_.steps.begin()),
                         std::move_iterator(pipeline_.steps.end()));
    std::vector<Step> ordered;
    std::set<std::string> known, done;
    for (const Step& step : left) known.insert(step.name);
    while (!left.empty()) {
      const auto next = std::find_if(left.begin(), left.end(), [&](const Step& step) {
        const std::vector<std::string> names = dependencies(step);
        return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
          return done.contains(name) || !known.contains(name) || name == step.name;
        });
      });
      if (next == left.end()) {
        problems_.add(left.front().mark, "spec.steps", "steps wait for each other: " + cycle_from(left));
        break;
      }
      done.insert(next->name);
      ordered.push_back(std::move(*next));
      left.erase(next);
    }
    pipeline_.steps = std::move(ordered);
  }

  static constexpr size_t kLongestName = 40;

  Pipeline& pipeline_;
  render::Problems& problems_;
};

}  // namespace

const Output* Step::find_output(std::string_view output) const {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) { return one.name == output; });
  return found == outputs.end() ? nullptr : &*found;
}

const Step* Pipeline::find(std::string_view step) const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return each.name == step; });
  return found == steps.end() ? nullptr : &*found;
}

std::vector<const Step*> Pipeline::all_of(std::string_view step) const {
  std::vector<const Step*> found;
  for (const Step& each : steps)
    if (each.name == step || each.group == step) found.push_back(&each);
  if (found.size() > 1) std::erase_if(found, [](const Step* each) { return each->items != nullptr; });
  return found;
}

std::vector<std::string> steps_in(const Expression& condition) {
  std::vector<std::string> steps;
  for (const std::string& name : condition.names())
    if (!name.starts_with("params.")) steps.push_back(name.substr(0, name.find('.')));
  return steps;
}

std::vector<std::string> dependencies(const Step& step) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Input& input : step.inputs)
    for (const Source& source : input.sources) add(source.step);
  for (const std::string& name : step.when_steps) add(name);
  for (const std::string& name : step.after) add(name);
  for (const std::string& name : step.needs) add(name);
  return names;
}

namespace {

Pipeline parse_unpacked(std::string_view text, const std::string& file) {
  std::vector<yaml::Node> documents = yaml::parse(text, file);
  if (kfp::is_compiled(documents)) return kfp::import(documents, file, text);
  yaml::Node root = documents.size() == 1 ? std::move(documents[0]) : yaml::parse_one(text, file);
  yaml::keep_keys(root);
  Pipeline pipeline;
  pipeline.file = file;
  pipeline.text = text;
  render::Problems problems(file);
  PipelineReader(pipeline, problems).read(root);
  problems.raise("invalid pipeline " + file);
  return pipeline;
}

}  // namespace

std::string hint(const std::string& word, const std::vector<std::string>& known, const std::string& none) {
  std::string guess = did_you_mean(word, known);
  if (!guess.empty()) return guess;
  return known.empty() ? none : "known names: " + some_of(known, 10);
}

Pipeline parse_pipeline(std::string_view text, const std::string& file) {
  const std::optional<std::string> unpacked = unpacked_package(text, file);
  return parse_unpacked(unpacked ? *unpacked : text, file);
}

}  // namespace kml::pipeline
