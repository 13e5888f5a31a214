#include "sweep/trial/holes.h"
#include "kml/api/object.h"

#include <string_view>

namespace kml::sweep {

namespace {

constexpr std::string_view kBegin = "${trialSpec.";

/// KEY in "Labels[KEY]" if `kind` is "Labels".
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
  if (word == "Namespace") return api::namespace_of(trial);
  if (word == "Kind") return api::kind_name(trial);
  if (word == "APIVersion") return api::api_version_of(trial);
  for (const auto& [kind, field] : {std::pair("Labels", "labels"), std::pair("Annotations", "annotations")})
    if (const auto key = key_of(word, kind))
      if (const Json* value = find(trial, {"metadata", field, *key}); value && value->is_string())
        return value->get<std::string>();
  return {};
}

namespace {

constexpr std::string_view kKatib = "${trialParameters.";

Json whole(double value) {
  const auto integer = static_cast<long long>(value);
  return static_cast<double>(integer) == value ? Json(integer) : Json(value);
}

}  // namespace

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Holes::Holes(const SweepSpec& spec) : spec_(spec), names_{"args", "trial", "checkpoint", "until"} {
  for (const Parameter& parameter : spec.parameters) names_.insert(parameter.name);
  if (spec.stopping.promote) names_.insert(spec.stopping.resource);
  for (const auto& [name, reference] : spec.trial_parameters)
    if (is_trial_reference(reference)) names_.insert(reference);
}

/// The name of the hole that begins at this position; sets `end` to its end. Empty if none begins there.
/// ${lr} belongs to the shell.
std::string Holes::hole_at(const std::string& text, size_t at, size_t& end) const {
  const bool is_katib = text.compare(at, kKatib.size(), kKatib) == 0;
  if (!is_katib && (text[at] != '{' || (at > 0 && text[at - 1] == '$'))) return {};
  const size_t begin = at + (is_katib ? kKatib.size() : 1), close = text.find('}', begin);
  if (close == std::string::npos) return {};
  std::string name = text.substr(begin, close - begin);
  if (is_katib) {
    const auto reference = spec_.trial_parameters.find(name);
    if (reference == spec_.trial_parameters.end()) return {};
    name = reference->second;
  }
  end = close + 1;
  return names_.contains(name) ? name : "";
}

std::vector<Piece> Holes::pieces(const std::string& text) const {
  std::vector<Piece> pieces;
  for (size_t at = 0; at < text.size();) {
    size_t end = 0;
    if (const std::string hole = hole_at(text, at, end); !hole.empty()) {
      pieces.push_back({true, hole});
      at = end;
      continue;
    }
    if (pieces.empty() || pieces.back().is_hole) pieces.push_back({});
    pieces.back().text += text[at++];
  }
  return pieces;
}

/// A parameter may have the same name as another hole; the parameter takes precedence.
Filling Holes::filling(const TrialJob& job) const {
  Filling filling;
  filling.values["trial"] = job.trial;
  filling.values["checkpoint"] = job.checkpoint;
  if (job.until) filling.values["until"] = filling.values[spec_.stopping.resource] = whole(*job.until);
  for (const auto& [name, reference] : spec_.trial_parameters)
    if (const auto value = trial_reference(reference, spec_.trial, job.name))
      filling.values[reference] = *value;
  for (const Parameter& parameter : spec_.parameters) {
    filling.values.erase(parameter.name);
    const auto found = job.values.find(parameter.name);
    if (found == job.values.end()) continue;
    filling.values[parameter.name] = *found;
    filling.args.push_back("--" + parameter.name + "=" + text_of(*found));
  }
  return filling;
}

}  // namespace kml::sweep
