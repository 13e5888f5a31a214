#include <algorithm>
#include <regex>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/task_walk.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

bool has_placeholder(const Json& value) {
  if (value.is_string()) return contains(value.get_ref<const std::string&>(), "{{$");
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), has_placeholder);
}

/// Adds the inputs of the same task to which a text refers. Returns whether the text refers to nothing else,
/// such as the name of the run.
bool add_named(const Json& value, const Bindings& inputs, Binding& text) {
  bool only_inputs = true;
  if (value.is_string()) {
    substituted(value.get<std::string>(), [&](const std::string& name) {
      const auto input = inputs.find(key_in(name, "inputs.parameters"));
      if (input == inputs.end())
        only_inputs = false;
      else
        text.inputs.insert(*input);
      return std::string();
    });
  } else if (value.is_structured()) {
    for (const Json& part : value) only_inputs = add_named(part, inputs, text) && only_inputs;
  }
  return only_inputs;
}

bool are_constants(const Bindings& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& each) {
    return each.second.kind == Binding::Kind::constant && each.second.param.empty();
  });
}

}  // namespace

Bindings TaskWalk::inputs_of(Group& group, const Json& task, const std::string& path) {
  Bindings inputs;
  const Json& given = object_at(task, {"inputs"});
  check_fields(given, {"parameters", "artifacts"}, path + ".inputs", problems_);
  const Json& declared = object_at(compiled_.spec, {"components", string_at(task, {"componentRef", "name"}),
                                                    "inputDefinitions", "parameters"});
  for (const auto& [name, input] : object_at(given, {"parameters"}).items()) {
    Binding binding = parameter(group, input, path + ".inputs.parameters." + name);
    if (binding.kind == Binding::Kind::constant && binding.param.empty())
      binding.value = typed(std::move(binding.value), string_at(declared, {name, "parameterType"}));
    if (binding.kind != Binding::Kind::none) inputs[name] = std::move(binding);
  }
  for (const auto& [name, input] : object_at(given, {"artifacts"}).items()) {
    Binding binding = artifact(group, input, path + ".inputs.artifacts." + name);
    if (binding.kind != Binding::Kind::none) inputs[name] = std::move(binding);
  }
  fill_texts(inputs);
  return inputs;
}

Binding TaskWalk::parameter(Group& group, const Json& input, const std::string& path) {
  check_fields(input,
               {"taskOutputParameter", "runtimeValue", "componentInputParameter", "taskFinalStatus",
                "parameterExpressionSelector"},
               path, problems_);
  Binding binding;
  if (const Json* source = find(input, {"taskOutputParameter"})) {
    binding = output(group, string_at(*source, {"producerTask"}), string_at(*source, {"outputParameterKey"}),
                     false, path);
  } else if (input.contains("runtimeValue")) {
    binding = constant_of(input, path);
  } else if (input.contains("componentInputParameter")) {
    const auto found = group.inputs.find(string_at(input, {"componentInputParameter"}));
    if (found != group.inputs.end()) binding = found->second;
  } else if (const Json* status = find(input, {"taskFinalStatus"})) {
    binding.kind = Binding::Kind::status;
    binding.task = string_at(*status, {"producerTask"});
    binding.steps = task(group, binding.task).steps;
  }
  select(binding, input, path);
  return binding;
}

Binding TaskWalk::constant_of(const Json& input, const std::string& path) {
  const Json& value = object_at(input, {"runtimeValue"});
  check_fields(value, {"constant"}, path + ".runtimeValue", problems_);
  return constant(value.value("constant", Json()));
}

/// Reads `parseJson(string_value)["k"]`, the only expression that the SDK writes.
void TaskWalk::select(Binding& binding, const Json& input, const std::string& path) {
  const std::string selector = string_at(input, {"parameterExpressionSelector"});
  if (selector.empty()) return;
  static const std::regex kWhole(R"re(parseJson\(string_value\)((\["[^"\]]*"\])+))re"),
      kKey(R"re(\["([^"\]]*)"\])re");
  std::smatch match;
  if (!std::regex_match(selector, match, kWhole))
    return refuse(problems_, path + ".parameterExpressionSelector",
                  "kml does not support \"" + selector + "\"");
  const std::string keys = match[1];
  for (auto key = std::sregex_iterator(keys.begin(), keys.end(), kKey); key != std::sregex_iterator(); ++key)
    binding.keys.push_back((*key)[1]);
  if (binding.kind == Binding::Kind::constant)
    binding.value = member_of(binding.value, std::exchange(binding.keys, {}));
  else if (binding.kind != Binding::Kind::output)
    refuse(problems_, path + ".parameterExpressionSelector", "kml cannot select a part of this input");
}

Binding TaskWalk::artifact(Group& group, const Json& input, const std::string& path) {
  check_fields(input, {"taskOutputArtifact", "componentInputArtifact"}, path, problems_);
  if (const Json* source = find(input, {"taskOutputArtifact"}))
    return output(group, string_at(*source, {"producerTask"}), string_at(*source, {"outputArtifactKey"}),
                  true, path);
  const auto found = group.inputs.find(string_at(input, {"componentInputArtifact"}));
  return found == group.inputs.end() ? Binding() : found->second;
}

Binding TaskWalk::output(Group& group, const std::string& producer, const std::string& key, bool is_artifact,
                         const std::string& path) {
  const Made& made = task(group, producer);
  const Bindings& outputs = is_artifact ? made.artifacts : made.parameters;
  const auto found = outputs.find(key);
  if (found != outputs.end()) return found->second;
  if (!made.steps.empty()) refuse(problems_, path, "task \"" + producer + "\" has no output \"" + key + "\"");
  return {};
}

/// Texts may refer to inputs of their task that the task's component does not have.
void TaskWalk::fill_texts(Bindings& inputs) {
  for (auto& [name, binding] : inputs) {
    if (binding.kind != Binding::Kind::constant || !binding.param.empty() || !has_placeholder(binding.value))
      continue;
    Binding text{.kind = Binding::Kind::text, .value = binding.value};
    const bool only_inputs = add_named(binding.value, inputs, text);
    const bool is_known_at_import = only_inputs && are_constants(text.inputs);
    binding = is_known_at_import ? constant(value_of(text, {})) : std::move(text);
  }
}

}  // namespace kml::pipeline::kfp
