#include "pipeline/kfp/binding.h"

#include <algorithm>

#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "pipeline/kfp/placeholders.h"

namespace kml::pipeline::kfp {

namespace {

std::string filled_text(const std::string& text, const Binding& binding, const render::Scope& scope) {
  return substituted(text, [&](const std::string& name) {
    const auto input = binding.inputs.find(key_in(name, "inputs.parameters"));
    if (input != binding.inputs.end()) return text_of(value_of(input->second, scope));
    return value_of_run(name, scope).value_or("{{$." + name + "}}");
  });
}

/// Replaces placeholders in texts, including texts in lists and maps, and the keys of maps.
Json filled_in(const Json& value, const Binding& binding, const render::Scope& scope) {
  if (value.is_string()) return filled_text(value.get<std::string>(), binding, scope);
  if (!value.is_structured()) return value;
  Json result = value;
  if (value.is_object()) {
    result = Json::object();
    for (const auto& [key, part] : value.items())
      result[filled_text(key, binding, scope)] = filled_in(part, binding, scope);
    return result;
  }
  for (Json& part : result) part = filled_in(part, binding, scope);
  return result;
}

/// The status in the form that the Kubeflow Pipelines API uses.
Json status_of(const Binding& binding, const render::Scope& scope) {
  const auto after = scope.find("after");
  const auto run = scope.find("run");
  const std::string name = run == scope.end() ? "" : string_at(run->second, {"name"});
  std::string state = "SUCCEEDED", message;
  for (const std::string& step : binding.steps) {
    const std::string phase = after == scope.end() ? "" : string_at(after->second, {step, "phase"});
    if (phase == "failed" && state != "FAILED") {
      state = "FAILED";
      message = step + ": " + string_at(after->second, {step, "cause"});
    } else if ((phase == "waiting" || phase == "cancelled") && state == "SUCCEEDED") {
      state = "CANCELLED";  // the run failed elsewhere or was stopped before the task had completely run
    }
  }
  Json error = Json::object();
  // FAILED_PRECONDITION, as in Kubeflow Pipelines
  if (state == "FAILED") error = {{"code", 9}, {"message", message}};
  return {{"state", state},
          {"error", error},
          {"pipelineJobResourceName", name},
          {"pipelineTaskName", binding.task}};
}

std::string text_in(const render::Scope& scope, const char* group, const char* name) {
  const auto found = scope.find(group);
  return found == scope.end() ? "" : string_at(found->second, {name});
}

/// The time in the form that Kubeflow uses, because programs may parse it.
std::string whole_seconds(const std::string& time) {
  const auto known = parse_rfc3339(time);
  return known ? rfc3339(*known) : time;
}

}  // namespace

std::optional<std::string> value_of_run(const std::string& name, const render::Scope& scope) {
  if (name == "pipeline_job_name" || name == "pipeline_job_resource_name")
    return text_in(scope, "run", "name");
  if (name == "pipeline_job_uuid") return text_in(scope, "run", "id");
  if (name == "pipeline_job_create_time_utc") return whole_seconds(text_in(scope, "run", "began"));
  if (name == "pipeline_job_schedule_time_utc") return text_in(scope, "run", "scheduled");
  if (name == "pipeline_task_name") return text_in(scope, "step", "name");
  if (name == "pipeline_task_uuid") return text_in(scope, "run", "id") + "-" + text_in(scope, "step", "name");
  return {};
}

Binding constant(Json value) {
  return {.kind = Binding::Kind::constant, .value = std::move(value)};
}

void add_inputs(Binding& binding, const std::string& name, bool is_optional, Step& step) {
  if (binding.kind == Binding::Kind::output) {
    const auto is_taken = [&](const std::string& wanted) {
      return std::any_of(step.inputs.begin(), step.inputs.end(),
                         [&](const Input& input) { return input.name == wanted; });
    };
    binding.input = name;
    for (int n = 2; is_taken(binding.input); ++n) binding.input = name + "-" + std::to_string(n);
    Input input{.name = binding.input, .sources = binding.sources};
    input.path = binding.path;
    input.is_optional = is_optional;
    step.inputs.push_back(std::move(input));
  }
  step.needs.insert(step.needs.end(), binding.waits.begin(), binding.waits.end());
  for (auto& [key, input] : binding.inputs) add_inputs(input, name, is_optional, step);
  for (Binding& item : binding.items) add_inputs(item, name, is_optional, step);
}

Json member_of(const Json& value, const std::vector<std::string>& keys) {
  Json found = value;
  if (!keys.empty() && found.is_string()) found = Json::parse(found.get<std::string>(), nullptr, false);
  for (const std::string& key : keys) {
    Json next = found.is_object() ? found.value(key, Json()) : Json();
    found = std::move(next);
  }
  return found;
}

Json value_of(const Binding& binding, const render::Scope& scope) {
  switch (binding.kind) {
    case Binding::Kind::none: return {};
    case Binding::Kind::constant: return binding.value;
    case Binding::Kind::text: return filled_in(binding.value, binding, scope);
    case Binding::Kind::status: return status_of(binding, scope);
    case Binding::Kind::output: {
      const auto inputs = scope.find("inputs");
      if (inputs == scope.end()) return {};
      return member_of(object_at(inputs->second, {binding.input}).value("value", Json()), binding.keys);
    }
    case Binding::Kind::list: break;
  }
  Json list = Json::array();
  for (const Binding& item : binding.items) list.push_back(value_of(item, scope));
  return list;
}

std::vector<Json> made_for(const Binding& binding, const Json& inputs) {
  std::vector<Json> made;
  if (binding.kind == Binding::Kind::output)
    if (const Json* input = find(inputs, {binding.input})) made.push_back(*input);
  for (const Binding& item : binding.items)
    for (Json& each : made_for(item, inputs)) made.push_back(std::move(each));
  return made;
}

}  // namespace kml::pipeline::kfp
