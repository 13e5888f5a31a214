#include "kml/pipeline/cache.h"

#include "kml/core/text.h"

namespace kml::pipeline {

Verdict Cache::look(const Step& step, const Json& params, const Json& inputs, const Renewal& renewal) const {
  Verdict verdict;
  verdict.parts = parts_of(step, params, inputs);
  verdict.parts.merge(surroundings_(step));
  verdict.key = key_of(verdict.parts);
  if (!step.is_cached) {
    verdict.cause = "cache: false";
  } else if (renewal.all || renewal.steps.contains(step.name)) {
    verdict.cause = renewal.all ? "--no-cache" : "--refresh";
  } else if (std::optional<Json> result = store_.find_result(verdict.key)) {
    verdict.cause = why_not(step, *result);
    if (verdict.cause.empty()) verdict.result = std::move(*result);
  } else {
    verdict.cause = why_new(step, verdict);
  }
  return verdict;
}

/// Why a result that is there cannot be used; empty if it can.
std::string Cache::why_not(const Step& step, const Json& result) const {
  const auto made = parse_rfc3339(string_at(result, {"time"}));
  if (step.max_age && (!made || clock_.now() - *made > *step.max_age))
    return "the result is older than " + short_duration(*step.max_age);
  for (const Output& output : step.outputs) {
    const Json& there = object_at(result, {"outputs", output.name});
    if (!(is_tree(output.kind) ? is_there_(there) : there.contains("value")))
      return "its output " + output.name + " is gone, or was changed";
  }
  return {};
}

/// Against the step's last result: that is what its user remembers.
std::string Cache::why_new(const Step& step, const Verdict& verdict) const {
  const std::optional<std::string> last = store_.find_latest(pipeline_.name, step.name);
  const std::optional<Json> result = last ? store_.find_result(*last) : std::nullopt;
  if (!result) return last ? "the last result was removed" : "it has not run yet";
  const std::vector<std::string> texts =
      changes(result->value("parts", KeyParts()), verdict.parts,
              [&](const std::string& digest) { return store_.find_list(digest); });
  return some_of(texts, 5);
}

/// Once for each return to an earlier state: a write costs more than a look.
void Cache::note_use(const Step& step, const std::string& key) const {
  if (store_.find_latest(pipeline_.name, step.name) != key)
    store_.keep_latest(pipeline_.name, step.name, key);
}

void Cache::keep(const Step& step, const std::string& key, const Json& result) const {
  store_.keep_result(key, result);
  store_.keep_latest(pipeline_.name, step.name, key);
}

}  // namespace kml::pipeline
