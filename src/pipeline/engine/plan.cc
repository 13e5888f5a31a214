#include "kml/pipeline/engine/plan.h"

#include <algorithm>
#include <map>

#include "kml/base/error.h"
#include "pipeline/engine/condition_value.h"

namespace kml::pipeline {

namespace {

using What = PlannedStep::What;

class DryRun {
 public:
  DryRun(const Pipeline& pipeline, const Json& params, const Cache& cache, const Renewal& renewal)
      : pipeline_(pipeline), params_(params), cache_(cache), renewal_(renewal) {}

  PlannedStep consider(const Step& step) {
    PlannedStep planned = step.items ? several(step) : decided(step);
    planned.step = step.name;
    known_[step.name].what = planned.what;
    return planned;
  }

  /// The items of a foreach step, if they are known and not in the plan yet.
  std::optional<std::vector<Json>> new_items(const Step& step, const Json& known) const {
    if (!step.items || known.contains(step.name) || known_.at(step.name).what != What::several) return {};
    return step.items(known_.at(step.name).inputs);
  }

 private:
  struct Known {
    What what = What::run;
    Json outputs = Json::object();  ///< the step's outputs, if a result exists
    Json inputs = Json::object();   ///< the inputs, if the step is a foreach over outputs of other steps
  };

  PlannedStep decided(const Step& step) {
    if (step.at_exit && !step.is_cached) return {{}, What::run, "at the end, whatever happens"};
    std::string open;  // the first of the steps that make the inputs and whose outputs are not known yet
    Json inputs = Json::object();
    for (const Input& input : step.inputs) {
      if (const Source* missing = missing_of(input))
        return {{}, What::skip, "input " + input.name + ": " + missing->step + " is skipped"};
      if (input.is_outside()) {
        inputs[input.name] = cache_.outside(input);
        continue;
      }
      if (!input.is_list && !first_made(input)) continue;
      Json made = made_for(input, open);
      if (!made.is_null()) inputs[input.name] = std::move(made);
    }
    if (step.when) {
      std::string fault;
      const auto holds = holds_already(*step.when, fault);
      if (!fault.empty()) return {{}, What::run, "fails: " + step.when->text() + ": " + fault};
      if (!holds) return {{}, What::maybe, "runs if " + step.when->text()};
      if (!*holds) return {{}, What::skip, step.when->text() + " does not hold"};
    }
    if (!open.empty()) return after(step, inputs, open);
    const Verdict verdict = cache_.look(step, params_, inputs, renewal_);
    if (!verdict.result) return {{}, What::run, verdict.cause};
    known_[step.name].outputs = object_at(*verdict.result, {"outputs"});
    return {{}, What::hit, string_at(*verdict.result, {"run"})};
  }

  PlannedStep several(const Step& step) {
    Known& known = known_[step.name];
    std::string open;
    for (const Input& input : step.inputs) {
      if (const Source* missing = missing_of(input))
        return {{}, What::skip, "input " + input.name + ": " + missing->step + " is skipped"};
      if (!input.is_list && !first_made(input)) continue;
      known.inputs[input.name] = made_for(input, open);
    }
    for (const std::string& name : step.needs)
      if (is_open(known_.at(name).what) && open.empty()) open = name;
    if (!open.empty()) return {{}, What::maybe, "the number of steps depends on " + source_in(step, open)};
    return {{}, What::several, {}};
  }

  /// The source that is not known yet, such as "load.seeds".
  static std::string source_in(const Step& step, const std::string& open) {
    for (const Input& input : step.inputs)
      for (const Source& source : input.sources)
        if (source.step == open) return source.text();
    return open;
  }

  static bool is_open(What what) { return what == What::run || what == What::maybe; }

  /// The input; null if it is not known yet. In that case, `open` is the step that must make it.
  Json made_for(const Input& input, std::string& open) const {
    bool is_known = true;
    const auto made = [&](const Source& source) {
      const Known& known = known_.at(source.step);
      if (is_open(known.what) && open.empty()) open = source.step;
      is_known = is_known && !is_open(known.what);
      return object_at(known.outputs, {source.output});
    };
    if (!input.is_list) {
      Json one = made(*first_made(input));
      return is_known ? one : Json();
    }
    Json list = Json::array();
    for (const Source& source : input.sources) list.push_back(made(source));
    return is_known ? list : Json();
  }

  /// The plan for a step that uses outputs of the step `open`, which are not known yet. If the step has its
  /// own cause to run, it runs; otherwise, whether it runs depends on those outputs.
  PlannedStep after(const Step& step, const Json& inputs, const std::string& open) const {
    std::string cause = cache_.own_cause(step, params_, inputs, renewal_);
    if (!cause.empty()) return {{}, What::run, std::move(cause)};
    return {{}, What::maybe, "runs if " + open + " makes a different output"};
  }

  /// A source that is required but skipped; nullptr if there is none.
  const Source* missing_of(const Input& input) const {
    if (input.is_outside()) return nullptr;
    if (!input.is_list) return first_made(input) || input.is_optional ? nullptr : &input.sources[0];
    const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
      return known_.at(source.step).what == What::skip;
    });
    return found == input.sources.end() ? nullptr : &*found;
  }

  /// The source from which the input will come; nullptr if all sources are skipped.
  const Source* first_made(const Input& input) const {
    const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
      return known_.at(source.step).what != What::skip;
    });
    return found == input.sources.end() ? nullptr : &*found;
  }

  /// Whether the condition holds; empty if that depends on steps that run or may run. `fault` is why the run
  /// cannot evaluate the condition, which makes the step fail.
  std::optional<bool> holds_already(const Expression& condition, std::string& fault) const {
    bool is_anything_missing = false;
    const auto is_open_name = [&](const std::string& name) {
      const std::vector<const Step*> steps = pipeline_.all_of(name.substr(0, name.find('.')));
      return std::any_of(steps.begin(), steps.end(),
                         [&](const Step* step) { return is_open(known_.at(step->name).what); });
    };
    try {
      return condition.holds_already(
          [&](const std::string& name) {
            Json value = value_of(name);
            is_anything_missing = is_anything_missing || value.is_null();
            return value;
          },
          is_open_name);
    } catch (const Error& error) {
      if (!is_anything_missing) fault = message_and_why(error);
      return false;
    }
  }

  Json value_of(const std::string& name) const {
    const auto outputs_of = [&](const Step& step) -> const Json& { return known_.at(step.name).outputs; };
    return condition_value(pipeline_, params_, outputs_of, name);
  }

  const Pipeline& pipeline_;
  const Json& params_;
  const Cache& cache_;
  const Renewal& renewal_;
  std::map<std::string, Known> known_;
};

}  // namespace

namespace {

std::string as_steps(size_t count) {
  return std::to_string(count) + (count == 1 ? " step" : " steps");
}

/// Makes a plan with the items of foreach steps that are known so far. If it finds the items of another
/// foreach step, adds them to `items` and returns nothing.
std::optional<std::vector<PlannedStep>> plan_with(Json& items, const Pipeline& pipeline, const Json& params,
                                                  const Cache& cache, const Renewal& renewal) {
  DryRun dry_run(pipeline, params, cache, renewal);
  std::vector<PlannedStep> planned;
  for (const Step& step : pipeline.steps) {
    planned.push_back(dry_run.consider(step));
    const auto found = dry_run.new_items(step, items);
    if (!found) continue;
    items[step.name] = *found;
    return {};
  }
  for (PlannedStep& step : planned)
    if (step.what == What::several) step.cause = as_steps(items[step.step].size());
  return planned;
}

}  // namespace

std::vector<PlannedStep> plan(const Pipeline& pipeline, const Json& params, const Cache& cache,
                              const Renewal& renewal) {
  Json items = Json::object();
  auto planned = plan_with(items, pipeline, params, cache, renewal);
  while (!planned) planned = plan_with(items, pipeline.with_items(items), params, cache, renewal);
  return *planned;
}

}  // namespace kml::pipeline
