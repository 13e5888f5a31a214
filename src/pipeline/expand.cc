#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/pipeline/pipeline.h"
#include "kml/render/evaluate.h"
#include "kml/render/problems.h"

namespace kml::pipeline {

namespace {

constexpr size_t kMostOfOneStep = 10'000;

/// A map's values are known as {key, value}, as in a template's $each.
Json as_list(Json values) {
  if (!values.is_object()) return values;
  Json list = Json::array();
  for (const auto& [key, value] : values.items()) list.push_back({{"key", key}, {"value", value}});
  return list;
}

/// Each value of each name with each of the others; the last name's change first.
std::vector<Json> items_of(const Step& step, const Json& params, render::Problems& problems) {
  std::vector<Json> items{Json::object()};
  for (const Each& each : step.each) {
    const Json values = as_list(render::evaluate(each.values, {{"params", params}}, problems));
    const std::string path = "spec.steps." + step.name + ".foreach." + each.name;
    if (!values.is_array()) {
      problems.add(each.values.mark, path, "its values are a list or a map");
      return {};
    }
    if (items.size() * values.size() > kMostOfOneStep) {
      problems.add(each.values.mark, path, "more than 10,000 steps would be made of this one");
      return {};
    }
    std::vector<Json> longer;
    for (const Json& item : items)
      for (const Json& value : values) {
        longer.push_back(item);
        longer.back()[each.name] = value;
      }
    items = std::move(longer);
  }
  return items;
}

using Members = std::map<std::string, std::vector<std::string>>;

void replace(std::vector<std::string>& names, const Members& members) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const auto found = members.find(name);
    if (found == members.end())
      result.push_back(name);
    else
      result.insert(result.end(), found->second.begin(), found->second.end());
  }
  names = std::move(result);
}

/// What names a step with a foreach names all that it became.
void name_members(Step& step, const Members& members) {
  replace(step.after, members);
  replace(step.when_steps, members);
  for (Input& input : step.inputs) {
    const auto found = input.sources.empty() ? members.end() : members.find(input.sources[0].step);
    if (found == members.end()) continue;
    const Source source = input.sources[0];
    input.is_list = true;
    input.sources.clear();
    for (const std::string& name : found->second) input.sources.push_back({name, source.output, source.mark});
  }
}

}  // namespace

Pipeline restricted(const Pipeline& pipeline, const std::vector<std::string>& names) {
  if (names.empty()) return pipeline;
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const std::vector<const Step*> steps = pipeline.all_of(name);
    if (steps.empty()) {
      std::vector<std::string> known;
      for (const Step& step : pipeline.steps) known.push_back(step.name);
      throw usage_error("the pipeline has no step \"" + name + "\"", did_you_mean(name, known),
                        "it has " + join(known, ", "));
    }
    for (const Step* step : steps) kept.insert(step->name);
  }
  for (auto step = pipeline.steps.rbegin(); step != pipeline.steps.rend(); ++step)
    if (kept.contains(step->name))
      for (const std::string& name : dependencies(*step)) kept.insert(name);
  Pipeline result = pipeline;
  for (Step& step : result.steps)
    if (step.at_exit && step.inputs.empty()) {  // it waits for what is left
      std::erase_if(step.after, [&](const std::string& name) { return !kept.contains(name); });
      kept.insert(step.name);
    }
  std::erase_if(result.steps, [&](const Step& step) { return !kept.contains(step.name); });
  return result;
}

Pipeline expanded(const Pipeline& pipeline, const Json& params) {
  if (pipeline.for_values) return pipeline.for_values(params);
  Pipeline result = pipeline;
  result.steps.clear();
  render::Problems problems(pipeline.file);
  Members members;
  for (Step step : pipeline.steps) {
    name_members(step, members);
    if (step.each.empty()) {
      result.steps.push_back(std::move(step));
      continue;
    }
    std::vector<std::string>& names = members[step.name];
    for (Json& item : items_of(step, params, problems)) {
      Step one = step;
      one.each.clear();
      one.group = step.name;
      one.name = step.name + "-" + std::to_string(names.size());
      one.item = std::move(item);
      if (pipeline.find(one.name))
        problems.add(step.mark, "spec.steps." + step.name,
                     "foreach makes a step " + one.name + ", which is there already");
      names.push_back(one.name);
      result.steps.push_back(std::move(one));
    }
  }
  problems.raise("invalid pipeline " + pipeline.file);
  return result;
}

}  // namespace kml::pipeline
