#include <algorithm>
#include <map>
#include <set>

#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/render/problems.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/language/foreach.h"

namespace kml::pipeline {

namespace {

/// The steps made from a foreach step.
struct Became {
  std::vector<std::string> names = {};
  bool is_known = true;
  bool stays = false;
};
using Members = std::map<std::string, Became>;

/// Replaces the name of a foreach step by the names of the steps made from it. If the foreach step itself
/// remains, keeps its name, too.
void replace(std::vector<std::string>& names, const Members& members) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const auto found = members.find(name);
    if (found == members.end() || found->second.stays) result.push_back(name);
    if (found != members.end())
      result.insert(result.end(), found->second.names.begin(), found->second.names.end());
  }
  names = std::move(result);
}

/// Once the steps made from a foreach step are known, references to the foreach step become references to all
/// of them.
void name_members(Step& step, const Members& members) {
  replace(step.after, members);
  replace(step.when_steps, members);
  for (Input& input : step.inputs) {
    const auto found = input.sources.empty() ? members.end() : members.find(input.sources[0].step);
    if (found == members.end()) continue;
    input.is_list = true;
    if (!found->second.is_known) continue;
    const Source source = input.sources[0];
    input.sources.clear();
    for (const std::string& name : found->second.names)
      input.sources.push_back({name, source.output, source.mark});
  }
}

/// Turns the steps of a pipeline into the steps of a run.
class Expansion {
 public:
  Expansion(const Pipeline& pipeline, const Json& params, const Json& items)
      : pipeline_(pipeline), params_(params), items_(items), problems_(pipeline.file) {}

  std::vector<Step> run() {
    for (Step step : pipeline_.steps) {
      name_members(step, members_);
      if (step.each.empty())
        steps_.push_back(std::move(step));
      else if (is_made_foreach(step))
        add_open(step);
      else
        add_members(step, foreach_items(step, params_, {}, problems_));
    }
    problems_.raise("invalid pipeline " + pipeline_.file);
    return std::move(steps_);
  }

 private:
  /// Adds the foreach step itself, which waits for the steps that make its items. Its condition moves to the
  /// steps made from it.
  void add_open(const Step& step) {
    Step open = step;
    open.when.reset();
    open.when_steps.clear();
    std::erase_if(open.inputs, [](const Input& input) { return !is_for_foreach(input); });
    for (const Each& each : step.each) open.item[each.name] = each.name;
    open.items = [step, params = params_, file = pipeline_.file](const Json& inputs) {
      render::Problems problems(file);
      std::vector<Json> items = foreach_items(step, params, inputs, problems);
      problems.raise("cannot make the steps of " + step.name);
      return items;
    };
    const Json* known = find(items_, {step.name});
    Members::mapped_type& members = members_[step.name];
    members.stays = true;
    members.is_known = known != nullptr;
    if (known) open.outputs.clear();
    open.each.clear();
    steps_.push_back(std::move(open));
    if (!known) return;
    Step one = step;
    std::erase_if(one.inputs, is_for_foreach);
    one.after.push_back(step.name);
    add_members(one, *known);
  }

  void add_members(const Step& step, const std::vector<Json>& items) {
    std::vector<std::string>& names = members_[step.name].names;
    for (const Json& item : items) {
      Step one = step;
      one.each.clear();
      one.group = step.name;
      one.name = step.name + "-" + std::to_string(names.size());
      one.item = item;
      if (pipeline_.find(one.name))
        problems_.add(step.mark, "spec.steps." + step.name,
                      "foreach would make step " + one.name + ", but a step with this name exists");
      names.push_back(one.name);
      steps_.push_back(std::move(one));
    }
  }

  const Pipeline& pipeline_;
  const Json& params_;
  const Json& items_;
  render::Problems problems_;
  Members members_;
  std::vector<Step> steps_;
};

}  // namespace

Pipeline restricted(const Pipeline& pipeline, const std::vector<std::string>& names) {
  if (names.empty()) return pipeline;
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const std::vector<const Step*> steps = pipeline.all_of(name);
    if (steps.empty()) {
      std::vector<std::string> known;
      for (const Step& step : pipeline.steps) known.push_back(step.name);
      throw usage_error("the pipeline has no step \"" + name + "\"", "",
                        suggestion(name, known, "it has " + join(known, ", ")));
    }
    for (const Step* step : steps) kept.insert(step->name);
  }
  for (auto step = pipeline.steps.rbegin(); step != pipeline.steps.rend(); ++step)
    if (kept.contains(step->name))
      for (const std::string& name : dependencies(*step)) kept.insert(name);
  Pipeline result = pipeline;
  for (Step& step : result.steps)
    if (step.at_exit && step.inputs.empty()) {  // the step waits for all remaining steps
      std::erase_if(step.after, [&](const std::string& name) { return !kept.contains(name); });
      kept.insert(step.name);
    }
  std::erase_if(result.steps, [&](const Step& step) { return !kept.contains(step.name); });
  if (pipeline.with_items)
    result.with_items = [whole = pipeline.with_items, names](const Json& items) {
      return restricted(whole(items), names);
    };
  return result;
}

Pipeline expanded(const Pipeline& pipeline, const Json& params, const Json& items) {
  Pipeline result;
  if (pipeline.for_values) {
    result = pipeline.for_values(params, items);
  } else {
    result = pipeline;
    result.steps = Expansion(pipeline, params, items).run();
  }
  const bool is_open = std::any_of(result.steps.begin(), result.steps.end(),
                                   [](const Step& step) { return step.items != nullptr; });
  if (is_open)
    result.with_items = [pipeline, params](const Json& known) { return expanded(pipeline, params, known); };
  return result;
}

}  // namespace kml::pipeline
