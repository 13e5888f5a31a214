#include "sweep/spec/trial_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "sweep/spec/holes.h"

namespace kml::sweep {

namespace {

constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

struct Words {
  std::set<std::string> in_braces, of_shells;  ///< the words in {lr} and in ${lr}
};

void find_words(const std::string& text, Words& words) {
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const size_t end = text.find_first_not_of(kOfNames, at + 1);
    if (end == std::string::npos || text[end] != '}') continue;
    auto& found = at > 0 && text[at - 1] == '$' ? words.of_shells : words.in_braces;
    found.insert(text.substr(at + 1, end - at - 1));
  }
}

void find_words(const Json& value, Words& words) {
  if (value.is_string()) find_words(value.get_ref<const std::string&>(), words);
  if (value.is_structured())
    for (const Json& child : value) find_words(child, words);
}

}  // namespace

std::vector<std::string> holes_nearly_met(const SweepSpec& spec) {
  if (spec.placeholders != Placeholders::kml) return {};
  const Holes holes(spec);
  const std::vector<std::string> names(holes.names().begin(), holes.names().end());
  Words words;
  find_words(spec.trial, words);
  std::vector<std::string> notes;
  for (const std::string& word : words.of_shells)
    if (holes.names().contains(word))
      notes.push_back("${" + word + "} is left to the shell; for the sweep's value, write {" + word + "}");
  for (const std::string& word : words.in_braces) {
    const std::string hint = holes.names().contains(word) ? "" : did_you_mean(word, names);
    if (!hint.empty()) notes.push_back("{" + word + "} is not a parameter, so it is left unchanged; " + hint);
  }
  return notes;
}

namespace {

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

class Filler {
 public:
  Filler(const Holes& holes, const Filling& filling) : holes_(holes), filling_(filling) {}

  Json fill(const Json& value, bool as_text) {
    if (value.is_string()) return fill_text(value.get<std::string>(), as_text);
    if (value.is_array()) return fill_list(value, as_text);
    if (!value.is_object()) return value;
    Json filled = Json::object();
    for (const auto& [key, child] : value.items()) {
      const bool is_text = as_text || key == "command" || key == "args" || key == "env" || key == "name" ||
                           key == "labels" || key == "annotations";
      filled[key] = key == "annotations" && holes_.placeholders() == Placeholders::wandb
                        ? with_arguments(child)
                        : fill(child, is_text);
    }
    return filled;
  }

  std::set<std::string> used;  ///< the names of the holes in the manifest

 private:
  Json fill_list(const Json& list, bool as_text) {
    Json filled = Json::array();
    for (const Json& item : list) {
      if (const std::string name = holes_.list_at(item); !name.empty()) {
        used.emplace("args");
        for (const std::string& word : list_of(name)) filled.push_back(word);
      } else {
        filled.push_back(fill(item, as_text));
      }
    }
    return filled;
  }

  std::vector<std::string> list_of(const std::string& name) const {
    const auto found = filling_.lists.find(name);
    return found == filling_.lists.end() ? std::vector<std::string>() : found->second;
  }

  /// Annotations in which W&B's macros are replaced in the command.
  Json with_arguments(Json annotations) const {
    for (Json& annotation : annotations) {
      if (!annotation.is_string()) continue;
      auto& text = annotation.get_ref<std::string&>();
      for (const auto& [name, words] : filling_.lists)
        text = replaced(std::move(text), "${" + name + "}", shell_quoted(words));
    }
    return annotations;
  }

  Json value_of(const std::string& hole) const {
    const auto found = filling_.values.find(hole);
    return found == filling_.values.end() ? Json("") : found->second;
  }

  Json fill_text(const std::string& text, bool as_text) {
    const std::vector<Piece> pieces = holes_.pieces(text);
    std::string filled;
    for (const Piece& piece : pieces) {
      if (piece.is_hole) used.insert(piece.text);
      if (!piece.is_hole)
        filled += piece.text;
      else if (piece.text == "args")
        filled += shell_quoted(list_of("args"));
      else if (pieces.size() == 1 && !as_text)
        return value_of(piece.text);
      else
        filled += holes_.text(value_of(piece.text));
    }
    return filled;
  }

  const Holes& holes_;
  const Filling& filling_;
};

/// If a parameter has the resource's name, its value is used, not the rung's.
bool is_told_how_far(const SweepSpec& spec, const std::set<std::string>& holes) {
  const auto is_parameter = [&](const std::string& name) {
    return std::any_of(spec.parameters.begin(), spec.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name; });
  };
  return std::any_of(holes.begin(), holes.end(), [&](const std::string& hole) {
    return (hole == "until" || hole == spec.stopping.resource) && !is_parameter(hole);
  });
}

}  // namespace

TrialTemplate::TrialTemplate(const SweepSpec& spec) : spec_(spec) {
  const Holes holes(spec);
  const Filling nothing;
  Filler filler(holes, nothing);
  filler.fill(spec.trial, false);
  if (spec.stopping.promote && !is_told_how_far(spec, filler.used))
    throw usage_error("trials do not know where to stop",
                      "with promote, each trial must stop at a rung of " + spec.stopping.resource,
                      "use {until} in the command: -- python train.py --epochs={until} {args}");
  if (filler.used.contains("args")) return;
  Error error = usage_error("a parameter has no effect", "",
                            spec.placeholders == Placeholders::katib
                                ? "use ${trialParameters.NAME} in the trial's manifest"
                                : "use {args} or {NAME} in the command: -- python train.py {args}");
  for (const Parameter& parameter : spec.parameters)
    if (!filler.used.contains(parameter.name))
      error.problems.push_back({{}, 0, 0, parameter.name, "is not used in the trial's manifest"});
  if (!error.problems.empty()) throw error;
}

Json TrialTemplate::manifest(const TrialJob& job) const {
  const Holes holes(spec_);
  const Filling filling = holes.filling(job);
  return Filler(holes, filling).fill(spec_.trial, false);
}

/// The path may come from a flag, so it may contain kml's placeholders in addition to those of Katib or W&B.
std::string TrialTemplate::metrics_file(const TrialJob& job) const {
  const Holes holes(spec_, Placeholders::kml);
  const Filling filling = holes.filling(job);
  return Filler(holes, filling).fill(spec_.collector.path, true).get<std::string>();
}

std::string job_name(const std::string& sweep, std::uint64_t trial, int rung, int attempt) {
  return fmt::format("{}-t{:05}-r{}-a{}", sweep, trial, rung, attempt);
}

}  // namespace kml::sweep
