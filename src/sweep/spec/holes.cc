#include "sweep/spec/holes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kml/kube/objects/object.h"
#include "sweep/spec/wandb_macros.h"

namespace kml::sweep {

namespace {

constexpr std::string_view kBegin = "${trialSpec.";

/// The KEY in "Labels[KEY]", if `kind` is "Labels".
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

constexpr std::string_view kOfKatib = "${trialParameters.", kOwn = "${kml.";

Json whole(double value) {
  const auto integer = static_cast<long long>(value);
  return static_cast<double>(integer) == value ? Json(integer) : Json(value);
}

}  // namespace

std::string Holes::text(const Json& value) const {
  if (spec_.has_python_values) return python_text(value);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Holes::Holes(const SweepSpec& spec, Placeholders placeholders)
    : spec_(spec), placeholders_(placeholders), names_{"args", "trial", "checkpoint", "until"} {
  for (const Parameter& parameter : spec.parameters) names_.insert(parameter.name);
  if (spec.stopping.promote) names_.insert(spec.stopping.resource);
  for (const auto& [name, reference] : spec.trial_parameters)
    if (is_trial_reference(reference)) names_.insert(reference);
}

/// The name of the hole that starts at this position; sets `end` to the hole's end. Empty if no hole starts
/// here. ${lr} is left to the shell. In a Katib manifest and in a W&B command, {lr} is left to the program.
std::string Holes::hole_at(const std::string& text, size_t at, size_t& end) const {
  const auto begins_with = [&](std::string_view word) { return text.compare(at, word.size(), word) == 0; };
  const bool is_katib = begins_with(kOfKatib), is_own = begins_with(kOwn);
  const bool is_brace =
      placeholders_ == Placeholders::kml && text[at] == '{' && (at == 0 || text[at - 1] != '$');
  if (!is_katib && !is_own && !is_brace) return {};
  const size_t begin = at + (is_katib ? kOfKatib.size()
                             : is_own ? kOwn.size()
                                      : 1),
               close = text.find('}', begin);
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

std::string Holes::list_at(const Json& item) const {
  if (!item.is_string() || placeholders_ == Placeholders::katib) return {};
  const auto& text = item.get_ref<const std::string&>();
  if (placeholders_ == Placeholders::kml) return text == "{args}" ? "args" : "";
  const bool is_macro = text.starts_with("${") && text.ends_with("}");
  const std::string name = is_macro ? text.substr(2, text.size() - 3) : "";
  return is_argument_macro(name) ? name : "";
}

namespace {

/// Adds the value to the lists of the trial's values, and to the dictionaries that it belongs to.
void add_value(const Parameter& parameter, const Json& value,
               std::vector<std::pair<std::string, Json>>& all) {
  std::vector<std::string> path = parameter.parents;
  path.push_back(parameter.own_name());
  auto entry = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == path[0]; });
  if (entry == all.end()) entry = all.insert(all.end(), {path[0], Json()});
  Json* place = &entry->second;
  for (size_t i = 1; i < path.size(); ++i) place = &(*place)[path[i]];
  *place = value;
}

}  // namespace

/// If a parameter has the same name as another hole, the parameter takes precedence.
Filling Holes::filling(const TrialJob& job) const {
  Filling filling;
  filling.values["trial"] = job.trial;
  filling.values["checkpoint"] = job.checkpoint;
  if (job.until) filling.values["until"] = filling.values[spec_.stopping.resource] = whole(*job.until);
  for (const auto& [name, reference] : spec_.trial_parameters)
    if (const auto value = trial_reference(reference, spec_.trial, job.name))
      filling.values[reference] = *value;
  std::vector<std::pair<std::string, Json>> all;
  for (const Parameter& parameter : spec_.parameters) {
    filling.values.erase(parameter.name);
    const auto found = job.values.find(parameter.name);
    if (found == job.values.end()) continue;
    filling.values[parameter.name] = *found;
    add_value(parameter, *found, all);
  }
  if (placeholders_ == Placeholders::wandb)
    filling.lists = argument_macros(all, job.trial);
  else
    for (const auto& [name, value] : all) filling.lists["args"].push_back("--" + name + "=" + text(value));
  return filling;
}

}  // namespace kml::sweep
