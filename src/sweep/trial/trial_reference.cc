#include "sweep/trial/trial_reference.h"

#include <string_view>

namespace kml::sweep {

namespace {

constexpr std::string_view kBegin = "${trialSpec.";

/// KEY of "Labels[KEY]", where `kind` is Labels.
std::optional<std::string> key_of(std::string_view word, std::string_view kind) {
  if (!word.starts_with(kind) || !word.ends_with("]")) return {};
  word.remove_prefix(kind.size());
  if (!word.starts_with("[")) return {};
  return std::string(word.substr(1, word.size() - 2));
}

}  // namespace

bool is_trial_reference(const std::string& reference) {
  return reference.starts_with(kBegin) && reference.ends_with("}");
}

std::optional<std::string> trial_reference(const std::string& reference, const Json& trial,
                                           const std::string& job) {
  if (!is_trial_reference(reference)) return {};
  const std::string_view word =
      std::string_view(reference).substr(kBegin.size(), reference.size() - kBegin.size() - 1);
  if (word == "Name") return job;
  if (word == "Namespace") return string_at(trial, {"metadata", "namespace"});
  if (word == "Kind") return string_at(trial, {"kind"});
  if (word == "APIVersion") return string_at(trial, {"apiVersion"});
  for (const auto& [kind, field] : {std::pair("Labels", "labels"), std::pair("Annotations", "annotations")})
    if (const auto key = key_of(word, kind))
      if (const Json* value = find(trial, {"metadata", field, *key}); value && value->is_string())
        return value->get<std::string>();
  return {};
}

}  // namespace kml::sweep
