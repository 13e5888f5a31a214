#include "pipeline/kfp/task_walk.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/kfp/condition.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

constexpr int kDeepestGroup = 50;
constexpr size_t kMostSteps = 10'000;

void append(std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : others)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Whether the task is a group that the SDK made for a condition or an exit handler. Such a group adds no
/// prefix to names, because the names of its tasks are unique in the pipeline.
bool is_nameless(const std::string& task) {
  return task.starts_with("condition-") || task.starts_with("exit-handler-");
}

std::string below(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "-" + name;
}

}  // namespace

std::vector<Step> TaskWalk::run() {
  const Json& root = object_at(compiled_.spec, {"root"});
  check_fields(root, {"dag", "inputDefinitions", "outputDefinitions"}, "root", problems_);
  Bindings inputs;
  for (const auto& [name, value] : values_.items()) {
    inputs[name] = constant(value);
    inputs[name].param = name;
  }
  for (const auto& [name, artifact] : object_at(root, {"inputDefinitions", "artifacts"}).items()) {
    inputs.erase(name);
    std::string path = string_at(values_, {name});
    if (path.empty() && !bool_at(artifact, {"isOptional"}))
      path = name;  // the placeholder has no value yet, because the compiled file is read first
    if (!path.empty()) inputs[name] = {.kind = Binding::Kind::output, .path = std::move(path)};
  }
  group(root, "root", {}, std::move(inputs));
  return std::move(steps_);
}

TaskWalk::Made TaskWalk::group(const Json& component, const std::string& path, Inherited inherited,
                               Bindings inputs) {
  if (++depth_ > kDeepestGroup) throw usage_error(path + ": pipelines are nested too deeply");
  Group group{object_at(component, {"dag"}), path + ".dag", std::move(inherited), std::move(inputs), {}, {}};
  check_fields(group.dag, {"tasks", "outputs"}, group.path, problems_);
  Made all;
  for (const auto& [name, value] : object_at(group.dag, {"tasks"}).items())
    append(all.steps, task(group, name).steps);
  Made made = outputs_of(group);
  made.steps = std::move(all.steps);
  --depth_;
  return made;
}

TaskWalk::Made TaskWalk::outputs_of(Group& group) {
  Made made;
  const Json& outputs = object_at(group.dag, {"outputs"});
  for (const auto& [name, output] : object_at(outputs, {"parameters"}).items()) {
    const std::string path = group.path + ".outputs.parameters." + name;
    check_fields(output, {"valueFromParameter", "valueFromOneof"}, path, problems_);
    const Json& one_of = array_at(output, {"valueFromOneof", "parameterSelectors"});
    const Json selectors = one_of.empty() ? Json{object_at(output, {"valueFromParameter"})} : one_of;
    made.parameters[name] = selected(group, selectors, "outputParameterKey", false);
  }
  for (const auto& [name, output] : object_at(outputs, {"artifacts"}).items())
    made.artifacts[name] =
        selected(group, array_at(output, {"artifactSelectors"}), "outputArtifactKey", true);
  return made;
}

/// The binding that selects, of several outputs, the first one that exists.
Binding TaskWalk::selected(Group& group, const Json& selectors, const char* key_name, bool is_artifact) {
  Binding result;
  for (const Json& selector : selectors) {
    Binding next = output(group, string_at(selector, {"producerSubtask"}), string_at(selector, {key_name}),
                          is_artifact, group.path + ".outputs");
    if (result.kind != Binding::Kind::output || next.kind != Binding::Kind::output)
      result = std::move(next);
    else
      result.sources.insert(result.sources.end(), next.sources.begin(), next.sources.end());
  }
  return result;
}

const TaskWalk::Made& TaskWalk::task(Group& group, const std::string& name) {
  if (const auto known = group.made.find(name); known != group.made.end()) return known->second;
  const std::string path = group.path + ".tasks." + name;
  const Json* task = find(group.dag, {"tasks", name});
  Made made;
  if (!task)
    refuse(problems_, group.path, "no task \"" + name + "\"");
  else if (!group.begun.insert(name).second)
    refuse(problems_, path, "tasks wait for each other");
  else
    made = new_task(group, name, *task, path);
  return group.made.insert_or_assign(name, std::move(made)).first->second;
}

TaskWalk::Made TaskWalk::new_task(Group& group, const std::string& name, const Json& task,
                                  const std::string& path) {
  check_fields(task,
               {"componentRef", "inputs", "dependentTasks", "triggerPolicy", "cachingOptions", "taskInfo",
                "retryPolicy", "parameterIterator", "artifactIterator", "iteratorPolicy"},
               path, problems_);
  Inherited inherited = group.inherited;
  const Bindings inputs = inputs_of(group, task, path);
  upstream(group, task, path, inherited);
  condition(task, inputs, path, inherited);
  if (const auto items = this->items(task, inputs, path))
    return loop(group, name, path, std::move(inherited), inputs, *items);
  return component(group, name, name, path, inherited, inputs);
}

/// Adds the steps that the task waits for. The task of an exit handler runs whatever happened to the tasks in
/// its block. If a task ignores failures, failures of the tasks it waits for do not end the run.
void TaskWalk::upstream(Group& group, const Json& task, const std::string& path, Inherited& inherited) {
  check_fields(object_at(task, {"triggerPolicy"}), {"condition", "strategy"}, path + ".triggerPolicy",
               problems_);
  const std::string strategy = string_at(task, {"triggerPolicy", "strategy"});
  const bool ignores_failures = strategy == "ALL_UPSTREAM_TASKS_COMPLETED";
  if (!ignores_failures && !strategy.empty() && strategy != "ALL_UPSTREAM_TASKS_SUCCEEDED")
    refuse(problems_, path + ".triggerPolicy.strategy", "kml does not support \"" + strategy + "\"");
  for (const Json& dependency : array_at(task, {"dependentTasks"})) {
    const std::string name = dependency.is_string() ? dependency.get<std::string>() : "";
    const std::vector<std::string> steps = this->task(group, name).steps;
    append(ignores_failures ? inherited.after : inherited.needs, steps);
    if (!ignores_failures) continue;
    if (name.starts_with("exit-handler-"))
      inherited.at_exit = true;
    else
      for (Step& step : steps_)
        if (std::find(steps.begin(), steps.end(), step.name) != steps.end()) step.continues = true;
  }
}

void TaskWalk::condition(const Json& task, const Bindings& inputs, const std::string& path,
                         Inherited& inherited) {
  const std::string text = string_at(task, {"triggerPolicy", "condition"});
  if (text.empty()) return;
  try {
    inherited.conditions.push_back(translated(text, [&](const std::string& key) -> const Binding& {
      const auto input = inputs.find(key);
      if (input == inputs.end()) throw usage_error("the task has no input \"" + key + "\"");
      return input->second;
    }));
  } catch (const Error& error) {
    refuse(problems_, path + ".triggerPolicy.condition", error.message);
  }
}

/// The items of a loop; empty if the task is not a loop.
std::optional<TaskWalk::Items> TaskWalk::items(const Json& task, const Bindings& inputs,
                                               const std::string& path) {
  if (const Json* artifacts = find(task, {"artifactIterator"})) {
    const auto list = inputs.find(string_at(*artifacts, {"items", "inputArtifact"}));
    if (list != inputs.end() && list->second.kind == Binding::Kind::list)
      return Items{.known = list->second.items, .waits = list->second.waits};
    refuse(problems_, path + ".artifactIterator",
           "kml cannot run a loop over artifacts that are not collected from another loop");
    return Items();
  }
  const Json* iterator = find(task, {"parameterIterator"});
  if (!iterator) return {};
  check_fields(*iterator, {"itemInput", "items"}, path + ".parameterIterator", problems_);
  const Json& source = object_at(*iterator, {"items"});
  Binding list = constant(Json::parse(string_at(source, {"raw"}), nullptr, false));
  if (const std::string name = string_at(source, {"inputParameter"}); !name.empty()) {
    const auto input = inputs.find(name);
    list = input == inputs.end() ? Binding() : input->second;
    if (list.kind == Binding::Kind::list) return Items{.known = list.items, .waits = list.waits};
    if (list.kind == Binding::Kind::constant && list.value.is_null()) return Items();
    if (list.kind == Binding::Kind::output || list.kind == Binding::Kind::text) return Items{.made = list};
  }
  const Json values = typed(list.value, "LIST");
  if (list.kind != Binding::Kind::constant || !values.is_array()) {
    refuse(problems_, path + ".parameterIterator.items", "the field \"items\" of a loop must be a list");
    return Items();
  }
  Items items;
  for (const Json& item : values) {
    items.known.push_back(constant(item));
    items.known.back().is_made = list.is_made;
  }
  return items;
}

/// If the items of a loop are not known yet, it becomes a step that waits for them. The step remains when the
/// items are known.
void TaskWalk::open(const std::string& name, const Inherited& inherited, Items& items) {
  Step step;
  step.name = name;
  step.settings.kind = yaml::Kind::mapping;
  step.needs = inherited.needs;
  step.after = inherited.after;
  step.at_exit = inherited.at_exit;
  append(step.needs, items.waits);
  if (items.made) add_inputs(*items.made, "items", false, step);
  step.items = [made = items.made, name](const Json& inputs) {
    const Json list = made ? typed(value_of(*made, {{"inputs", inputs}}), "LIST") : Json::array();
    if (list.is_array()) return list.get<std::vector<Json>>();
    throw usage_error("the items of " + name + " are not a list: " + compact_text(list).substr(0, 100));
  };
  steps_.push_back(std::move(step));
  for (const Json& item : array_at(items_, {name})) {
    items.known.push_back(constant(item));
    items.known.back().is_made = true;
  }
}

/// If the items of the loop are not known yet, one iteration is read only to report its problems, and its
/// steps are dropped.
TaskWalk::Made TaskWalk::loop(const Group& group, const std::string& name, const std::string& path,
                              Inherited inherited, const Bindings& inputs, Items items) {
  if (!items.is_open()) return iterations(group, name, path, inherited, inputs, items.known);
  const std::string holder = unique(label_of(below(inherited.prefix, name), 63));
  open(holder, inherited, items);
  inherited.needs.push_back(holder);
  Made made;
  if (items_.contains(holder)) {
    made = iterations(group, name, path, inherited, inputs, items.known);
  } else {
    const size_t count = steps_.size();
    made = iterations(group, name, path, inherited, inputs, {constant({})});
    steps_.resize(count);
    made.steps.clear();
    for (Bindings* outputs : {&made.parameters, &made.artifacts})
      for (auto& [key, binding] : *outputs) {
        binding.items.clear();
        binding.waits = {holder};
      }
  }
  made.steps.insert(made.steps.begin(), holder);
  return made;
}

/// If at most n iterations may run at the same time, iteration i waits for iteration i - n.
TaskWalk::Made TaskWalk::iterations(const Group& group, const std::string& name, const std::string& path,
                                    const Inherited& inherited, const Bindings& inputs,
                                    const std::vector<Binding>& items) {
  const Json& task = object_at(group.dag, {"tasks", name});
  const bool is_of_artifacts = task.contains("artifactIterator");
  const std::string input =
      string_at(task, {is_of_artifacts ? "artifactIterator" : "parameterIterator", "itemInput"});
  check_fields(object_at(task, {"iteratorPolicy"}), {"parallelismLimit"}, path + ".iteratorPolicy",
               problems_);
  const auto limit = static_cast<size_t>(int_at(task, {"iteratorPolicy", "parallelismLimit"}));
  Made all;
  std::vector<Made> iterations;
  const std::string component = string_at(task, {"componentRef", "name"});
  const Json& outputs = object_at(compiled_.spec, {"components", component, "dag", "outputs"});
  for (const auto& [key, output] : object_at(outputs, {"parameters"}).items())
    all.parameters[key].kind = Binding::Kind::list;
  for (const auto& [key, output] : object_at(outputs, {"artifacts"}).items())
    all.artifacts[key].kind = Binding::Kind::list;
  for (size_t i = 0; i < items.size(); ++i) {
    Inherited own = inherited;
    if (limit > 0 && i >= limit) append(own.after, iterations[i - limit].steps);
    Bindings bound = inputs;
    bound[input] = items[i];
    Made made =
        this->component(group, name, name + "-" + std::to_string(i), path, std::move(own), std::move(bound));
    for (const auto& [key, binding] : made.parameters) all.parameters[key].items.push_back(binding);
    for (const auto& [key, binding] : made.artifacts) all.artifacts[key].items.push_back(binding);
    append(all.steps, made.steps);
    iterations.push_back(std::move(made));
  }
  return all;
}

/// `name` is the task's name among the steps; in an iteration, it includes the iteration's number.
TaskWalk::Made TaskWalk::component(const Group& group, const std::string& task_name, const std::string& name,
                                   const std::string& path, Inherited inherited, Bindings inputs) {
  const Json& task = object_at(group.dag, {"tasks", task_name});
  const std::string component_name = string_at(task, {"componentRef", "name"});
  const Json* component = find(compiled_.spec, {"components", component_name});
  if (!component) {
    refuse(problems_, path + ".componentRef", "components has no \"" + component_name + "\"");
    return {};
  }
  check_fields(*component, {"dag", "executorLabel", "inputDefinitions", "outputDefinitions"},
               path + ": components." + component_name, problems_);
  const Json& definitions = object_at(*component, {"inputDefinitions", "parameters"});
  for (const auto& [key, input] : definitions.items())
    if (const Json* value = find(input, {"defaultValue"}); value && !inputs.contains(key))
      inputs[key] = constant(typed(*value, string_at(input, {"parameterType"})));
  if (!component->contains("dag")) {
    const LeafTask task_of_step{unique(label_of(below(inherited.prefix, name), 63)),
                                path,
                                task,
                                *component,
                                std::move(inputs),
                                group.inputs,
                                [&group](const std::string& producer, const std::string& key) {
                                  const auto made = group.made.find(producer);
                                  if (made == group.made.end()) return Binding();
                                  const auto found = made->second.parameters.find(key);
                                  return found == made->second.parameters.end() ? Binding() : found->second;
                                }};
    return leaf(task_of_step, inherited);
  }
  if (task.contains("retryPolicy"))
    refuse(problems_, path + ".retryPolicy", "kml does not support \"retryPolicy\" for a group of tasks");
  if (!is_nameless(name)) inherited.prefix = below(inherited.prefix, name);
  return this->group(*component, path, std::move(inherited), std::move(inputs));
}

TaskWalk::Made TaskWalk::leaf(const LeafTask& leaf, const Inherited& inherited) {
  if (steps_.size() >= kMostSteps) throw usage_error(leaf.path + ": more than 10,000 steps");
  Step step = step_of(leaf, compiled_, folder_, problems_);
  append(step.needs, inherited.needs);
  step.after = inherited.after;
  step.at_exit = inherited.at_exit;
  if (!inherited.conditions.empty()) try {
      const bool is_single = inherited.conditions.size() == 1;
      step.when =
          Expression(is_single ? inherited.conditions[0] : "(" + join(inherited.conditions, ") && (") + ")");
      step.when_steps = steps_in(*step.when);
    } catch (const Error& error) {
      refuse(problems_, leaf.path, "its conditions: " + error.message);
    }
  Made made{{}, {}, {step.name}};
  for (const Output& output : step.outputs) {
    Binding binding{.kind = Binding::Kind::output};
    binding.sources.push_back({step.name, output.name});
    (is_tree(output.kind) ? made.artifacts : made.parameters)[output.name] = std::move(binding);
  }
  steps_.push_back(std::move(step));
  return made;
}

std::string TaskWalk::unique(std::string name) {
  const auto is_taken = [&](const std::string& wanted) {
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) { return step.name == wanted; });
  };
  const std::string first = name;
  for (int n = 2; is_taken(name); ++n) name = first.substr(0, 59) + "-" + std::to_string(n);
  return name;
}

}  // namespace kml::pipeline::kfp
