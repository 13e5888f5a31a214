#include "sweep/spec/document.h"

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

namespace {

constexpr std::string_view kNative = "kml.dev/v1", kKatib = "kubeflow.org/v1beta1";
constexpr const char* kMappings[] = {"metadata",
                                     "spec",
                                     "spec.objective",
                                     "spec.algorithm",
                                     "spec.budget",
                                     "spec.fidelity",
                                     "spec.earlyStopping",
                                     "spec.retry",
                                     "spec.metricsCollectorSpec",
                                     "spec.trialTemplate",
                                     "spec.trialTemplate.configMap",
                                     "spec.trialTemplate.trialSpec"};
constexpr const char* kLists[] = {"spec.parameters", "spec.constraints", "spec.algorithm.algorithmSettings"};

/// The value at a path; null if it is missing, or a parent is not a mapping.
const Json& at(const Json& document, const char* path) {
  static const Json kNothing;
  const Json* value = &document;
  for (const std::string& key : split(path, '.')) {
    value = find(*value, {key});
    if (!value) return kNothing;
  }
  return *value;
}

}  // namespace

std::string kind_problem(const Json& document) {
  const std::string version = api::api_version_of(document), kind = api::kind_name(document);
  const bool is_known =
      (version == kNative && kind == "Sweep") || (version == kKatib && kind == "Experiment");
  if (is_known) return {};
  return "must be Sweep (apiVersion " + std::string(kNative) + ") or Experiment (" + std::string(kKatib) +
         ")";
}

void require_sections(const Json& document, std::string_view source) {
  Error error = usage_error(std::string(source) + " is not a valid sweep");
  if (!document.is_object()) {
    error.why = document.is_null() ? "it is empty" : "it is not a mapping";
    error.fix = "begin the document with apiVersion: kml.dev/v1 and kind: Sweep; see man kml-sweep";
    throw error;
  }
  const auto add = [&](const char* path, std::string text) {
    error.problems.push_back({std::string(source), 0, 0, path, std::move(text)});
  };
  if (std::string problem = kind_problem(document); !problem.empty()) add("kind", std::move(problem));
  for (const char* path : kMappings)
    if (const Json& value = at(document, path); !value.is_null() && !value.is_object())
      add(path, "must be a mapping");
  for (const char* path : kLists)
    if (const Json& value = at(document, path); !value.is_null() && !value.is_array())
      add(path, "must be a list");
  if (!error.problems.empty()) throw error;
}

}  // namespace kml::sweep
