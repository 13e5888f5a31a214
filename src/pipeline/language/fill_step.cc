#include "pipeline/language/fill_step.h"

#include <algorithm>
#include <iterator>

#include "kml/job/render/problems.h"
#include "kml/job/spec/config.h"

namespace kml::pipeline {

namespace {

/// A value in the form of a node from a file; all its parts get the same position.
yaml::Node node_of(const Json& value, yaml::Mark mark) {
  yaml::Node node;
  node.mark = mark;
  if (value.is_array()) {
    node.kind = yaml::Kind::sequence;
    for (const Json& item : value) node.items.push_back(node_of(item, mark));
  } else if (value.is_object()) {
    node.kind = yaml::Kind::mapping;
    for (const auto& [key, member] : value.items())
      node.entries.push_back({node_of(key, mark), node_of(member, mark)});
  } else if (!value.is_null()) {
    node.kind = yaml::Kind::scalar;
    node.text = render::embedded(value);
    node.quoted = value.is_string();
  }
  return node;
}

std::vector<std::string> words_of(const Step& step, const render::Scope& scope, render::Problems& problems) {
  std::vector<std::string> words;
  const Json command = render::evaluate(step.command, scope, problems);
  for (const Json& word : command) try {
      words.push_back(render::embedded(word));
    } catch (const Error& error) {
      problems.add(step.command.mark, "spec.steps." + step.name + ".command",
                   word.is_array() ? "a list is not a word of a command; {$splice: \"${…}\"} makes a word of "
                                     "each item"
                                   : "a word: " + error.message);
    }
  return words;
}

/// The secrets that a pod's fields use, each in the form of the setting that would use it.
std::vector<spec::Setting> uses_of(const Json& pod, const std::string& file) {
  std::vector<spec::Setting> uses;
  const auto add = [&](const char* setting, const std::string& value) {
    if (!value.empty()) uses.push_back({setting, value, {spec::Source::project_file, file}});
  };
  for (const Json& variable : array_at(pod, {"env"}))
    add("env-from", string_at(variable, {"valueFrom", "secretKeyRef", "name"}));
  for (const Json& volume : array_at(pod, {"volumes"}))
    if (const std::string name = string_at(volume, {"secret", "secretName"}); !name.empty())
      add("mount", "secret/" + name);
  return uses;
}

/// Adds the account of a served model's activator, because the file may also set the image that uses it.
void add_engine_account(const Step& step, const render::Scope& scope, render::Problems& problems,
                        std::vector<spec::Setting>& uses) {
  const yaml::Node* account = step.serve.find("engine-account");
  if (!account) return;
  const yaml::Mark mark = account->mark;
  const Json value = render::evaluate(*account, scope, problems);
  if (value.is_null()) return;  // if it has no value, evaluate() has added the problem
  try {
    uses.push_back({"service-account",
                    render::embedded(value),
                    {spec::Source::project_file, problems.file(), mark.line, mark.column}});
  } catch (const Error& error) {
    problems.add(mark, "spec.steps." + step.name + ".serve.engine-account", error.message);
  }
}

}  // namespace

FilledStep fill(const Step& step, const std::string& file, const render::Scope& scope, Where where) {
  render::Problems problems(file);
  FilledStep filled{
      step.program ? step.program->command(scope, where) : words_of(step, scope, problems), {}, {}, {}};
  yaml::Node settings = step.settings;
  for (yaml::Node::Entry& entry : settings.entries)
    entry.value = node_of(render::evaluate(entry.value, scope, problems), entry.value.mark);
  std::erase_if(settings.entries, [](const auto& entry) { return entry.value.kind == yaml::Kind::null; });
  std::vector<Problem> found;
  filled.settings = spec::read_settings(settings, file, spec::Source::project_file, found);
  for (Problem& problem : found) problems.add(std::move(problem));
  if (!step.pod.empty()) filled.pod = render::evaluate(node_of(step.pod, step.mark), scope, problems);
  filled.uses = uses_of(filled.pod, file);
  add_engine_account(step, scope, problems, filled.uses);
  problems.raise("step " + step.name + " cannot be submitted");
  return filled;
}

}  // namespace kml::pipeline
