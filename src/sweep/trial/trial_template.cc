#include "kml/sweep/trial_template.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::sweep {

namespace {

constexpr std::string_view kKatib = "${trialParameters.";

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What stands in a text where a hole begins: its name and where it ends; nothing where no hole does.
struct Hole {
  std::string name;
  size_t end;
};

class Filler {
 public:
  explicit Filler(const SweepSpec& spec) : spec_(spec) {
    for (const Parameter& parameter : spec.parameters) {
      values_[parameter.name] = "";
      names_.push_back(parameter.name);
    }
    for (const char* name : {"trial", "checkpoint", "until"}) values_.emplace(name, "");
  }

  void set(const TrialJob& job) {
    args_.clear();
    for (const std::string& name : names_) {
      const auto found = job.values.find(name);
      if (found == job.values.end()) continue;
      values_[name] = *found;
      args_.push_back("--" + name + "=" + text_of(*found));
    }
    values_.try_emplace("trial", "");
    if (!names_has("trial")) values_["trial"] = job.trial;
    if (!names_has("checkpoint")) values_["checkpoint"] = job.checkpoint;
    const Json until = job.until ? whole(*job.until) : Json("");
    if (!names_has("until")) values_["until"] = until;
    if (job.until) values_.insert_or_assign(spec_.stopping.resource, until);
  }

  Json fill(const Json& value, bool as_text) {
    if (value.is_string()) return fill_text(value.get<std::string>(), as_text);
    if (value.is_array()) return fill_list(value, as_text);
    if (!value.is_object()) return value;
    Json filled = Json::object();
    for (const auto& [key, child] : value.items()) {
      const bool is_text = as_text || key == "command" || key == "args" || key == "env" || key == "name" ||
                           key == "labels" || key == "annotations";
      filled[key] = fill(child, is_text);
    }
    return filled;
  }

  std::vector<std::string> used;  ///< names of the holes that were met

 private:
  bool names_has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  static Json whole(double value) {
    const auto integer = static_cast<long long>(value);
    return static_cast<double>(integer) == value ? Json(integer) : Json(value);
  }

  Json fill_list(const Json& list, bool as_text) {
    Json filled = Json::array();
    for (const Json& item : list) {
      if (item == "{args}") {
        used.emplace_back("args");
        for (const std::string& arg : args_) filled.push_back(arg);
      } else {
        filled.push_back(fill(item, as_text));
      }
    }
    return filled;
  }

  /// Of the hole that begins there.
  std::optional<Hole> hole_at(const std::string& text, size_t at) const {
    const bool is_katib = text.compare(at, kKatib.size(), kKatib) == 0;
    if (!is_katib && text[at] != '{') return std::nullopt;
    const size_t begin = at + (is_katib ? kKatib.size() : 1), end = text.find('}', begin);
    if (end == std::string::npos) return std::nullopt;
    std::string name = text.substr(begin, end - begin);
    if (is_katib) {
      const auto reference = spec_.trial_parameters.find(name);
      if (reference == spec_.trial_parameters.end()) return std::nullopt;
      name = reference->second;
    }
    if (name != "args" && !values_.contains(name)) return std::nullopt;
    return Hole{name, end + 1};
  }

  Json fill_text(const std::string& text, bool as_text) {
    std::string filled;
    for (size_t at = 0; at < text.size();) {
      const std::optional<Hole> hole = hole_at(text, at);
      if (!hole) {
        filled += text[at++];
        continue;
      }
      used.push_back(hole->name);
      const bool is_all = at == 0 && hole->end == text.size();
      at = hole->end;
      if (hole->name == "args")
        filled += shell_quoted(args_);
      else if (is_all && !as_text)
        return values_.at(hole->name);
      else
        filled += text_of(values_.at(hole->name));
    }
    return filled;
  }

  const SweepSpec& spec_;
  std::vector<std::string> names_;
  std::map<std::string, Json> values_;
  std::vector<std::string> args_;
};

}  // namespace

TrialTemplate::TrialTemplate(const SweepSpec& spec) : spec_(spec) {
  Filler filler(spec);
  filler.fill(spec.trial, false);
  const auto has = [&](const std::string& name) {
    return std::find(filler.used.begin(), filler.used.end(), name) != filler.used.end();
  };
  if (has("args")) return;
  Error error = usage_error("a parameter changes nothing", "the trial's manifest has no place for it",
                            "write {args} or {NAME} into the command, as in: -- python train.py {args}");
  for (const Parameter& parameter : spec.parameters)
    if (!has(parameter.name))
      error.problems.push_back({{}, 0, 0, parameter.name, "is nowhere in the trial's manifest"});
  if (!error.problems.empty()) throw error;
}

Json TrialTemplate::manifest(const TrialJob& job) const {
  Filler filler(spec_);
  filler.set(job);
  return filler.fill(spec_.trial, false);
}

std::string job_name(const std::string& sweep, std::uint64_t trial, int rung, int attempt) {
  return fmt::format("{}-t{:05}-r{}-a{}", sweep, trial, rung, attempt);
}

}  // namespace kml::sweep
