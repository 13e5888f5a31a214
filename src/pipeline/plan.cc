#include "kml/pipeline/plan.h"

#include <algorithm>
#include <map>

#include "kml/core/error.h"

namespace kml::pipeline {

namespace {

using What = PlannedStep::What;

class DryRun {
 public:
  DryRun(const Json& params, const Cache& cache, const Renewal& renewal)
      : params_(params), cache_(cache), renewal_(renewal) {}

  PlannedStep consider(const Step& step) {
    PlannedStep planned = decided(step);
    planned.step = step.name;
    known_[step.name].what = planned.what;
    return planned;
  }

 private:
  struct Known {
    What what = What::run;
    Json outputs = Json::object();  ///< of a hit
  };

  PlannedStep decided(const Step& step) {
    Json inputs = Json::object();
    std::string open;  // a step that has to run first
    for (const Input& input : step.inputs) {
      const Source* source = first_made(input);
      if (!source)
        return {{}, What::skip, "input " + input.name + ": " + input.sources[0].step + " is skipped"};
      if (known_.at(source->step).what == What::hit)
        inputs[input.name] = object_at(known_.at(source->step).outputs, {source->output});
      else if (open.empty())
        open = source->step;
    }
    if (step.when)
      for (const std::string& name : step.when->names())
        if (const auto other = known_.find(name.substr(0, name.find('.')));
            other != known_.end() && (other->second.what == What::run || other->second.what == What::maybe))
          return {{}, What::maybe, "runs if " + step.when->text()};
    if (step.when && !holds(*step.when)) return {{}, What::skip, step.when->text() + " does not hold"};
    if (!open.empty()) return after(step, open);
    const Verdict verdict = cache_.look(step, params_, inputs, renewal_);
    if (!verdict.result) return {{}, What::run, verdict.cause};
    known_[step.name].outputs = object_at(*verdict.result, {"outputs"});
    return {{}, What::hit, string_at(*verdict.result, {"run"})};
  }

  /// Whether it runs is known once that step has made something new, or the same again.
  PlannedStep after(const Step& step, const std::string& open) const {
    if (!step.is_cached || renewal_.all || renewal_.steps.contains(step.name))
      return {{}, What::run, !step.is_cached ? "cache: false" : renewal_.all ? "--no-cache" : "--refresh"};
    return {{}, What::maybe, "runs if " + open + " makes something else"};
  }

  /// The source that will count, or nullptr if all are skipped.
  const Source* first_made(const Input& input) const {
    const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
      return known_.at(source.step).what != What::skip;
    });
    return found == input.sources.end() ? nullptr : &*found;
  }

  bool holds(const Expression& condition) const {
    try {
      return condition.holds([&](const std::string& name) {
        const size_t dot = name.find('.');
        const std::string first = name.substr(0, dot), second = name.substr(dot + 1);
        if (first == "params") return params_.value(second, Json());
        return object_at(known_.at(first).outputs, {second}).value("value", Json());
      });
    } catch (const Error&) {
      return false;  // it compares what was not made; a run says what is wrong otherwise
    }
  }

  const Json& params_;
  const Cache& cache_;
  const Renewal& renewal_;
  std::map<std::string, Known> known_;
};

}  // namespace

std::vector<PlannedStep> plan(const Pipeline& pipeline, const Json& params, const Cache& cache,
                              const Renewal& renewal) {
  DryRun dry_run(params, cache, renewal);
  std::vector<PlannedStep> planned;
  for (const Step& step : pipeline.steps) planned.push_back(dry_run.consider(step));
  return planned;
}

}  // namespace kml::pipeline
