#include "kml/sweep/tables/sweep_table.h"
#include "kml/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/sweep/journal/record.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"
#include "sweep/tables/sweep_stopping.h"

namespace kml::ui {

namespace {

using sweep::SweepState;
using sweep::Trial;
using sweep::TrialState;

std::optional<double> value_of(const Trial& trial, const SweepState& state, const sweep::Engine* engine) {
  if (trial.value || trial.has_ended())
    return trial.value ? trial.value : trial.diverged_to(state.spec().objective.metric);
  const sweep::Progress* progress = engine ? engine->progress(trial.number) : nullptr;
  if (progress && progress->has_value()) return progress->value(state.spec().objective);
  return trial.curve.empty() ? std::nullopt : std::optional(trial.curve.back().second);
}

/// The value of an additional metric in the trial's last job. For a running trial, the value reported so far.
std::optional<double> metric_of(const Trial& trial, const std::string& metric, const sweep::Engine* engine) {
  const sweep::Progress* progress = engine ? engine->progress(trial.number) : nullptr;
  if (progress) {
    const sweep::Diverged diverged = progress->diverged({.metric = {}, .additional = {metric}});
    if (const auto found = diverged.find(metric); found != diverged.end()) return found->second.second;
    const auto metrics = progress->metrics();
    if (const auto found = metrics.find(metric); found != metrics.end()) return found->second;
  }
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? trial.diverged_to(metric) : std::optional(found->second);
}

bool is_best(const SweepState& state, std::uint64_t trial) {
  const auto& front = state.front();
  return state.best() == trial || std::find(front.begin(), front.end(), trial) != front.end();
}

Style style_of(const Trial& trial) {
  if (!trial.has_ended()) return trial.is_seen ? Style::green : Style::yellow;
  return trial.state == TrialState::failed || trial.state == TrialState::diverged ? Style::red : Style::plain;
}

/// First the trials on the front, then complete trials (both sorted by value), then those that have not
/// ended, then those that were stopped early or failed.
std::vector<const Trial*> in_order(const SweepState& state) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : state.trials()) trials.push_back(&trial);
  const std::set<std::uint64_t> front(state.front().begin(), state.front().end());
  const auto rank = [&](const Trial& trial) {
    if (front.contains(trial.number)) return -1;
    if (trial.state == TrialState::complete) return 0;
    if (!trial.has_ended()) return 1;
    return trial.state == TrialState::pruned ? 2 : 3;
  };
  const auto cost = [&](const Trial& trial) {
    return trial.state == TrialState::complete && trial.value ? state.spec().objective.cost(*trial.value) : 0;
  };
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial* a, const Trial* b) {
    return std::pair(rank(*a), cost(*a)) < std::pair(rank(*b), cost(*b));
  });
  return trials;
}

}  // namespace

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  const std::string text = number_text(value.get<double>());
  return value.dump() == text + ".0" ? text + ".0" : text;  // the text that the trial has received
}

std::string parameter_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string state_text(const Trial& trial) {
  if (trial.outcome) return std::string(sweep::in_words(*trial.outcome));
  if (trial.state == TrialState::paused) return "paused";
  if (trial.is_withdrawn) return "withdrawn";
  return trial.is_seen ? "running" : "waiting";
}

std::string in_a_line(std::string_view cause) {
  const size_t end = cause.find('\n');
  std::string_view line = cause.substr(0, end);
  if (end != std::string_view::npos && line.ends_with(':')) {
    line.remove_suffix(1);
    line = line.substr(0, line.rfind("; "));
  }
  return std::string(line);
}

std::string in_words(const sweep::SweepSpec& spec, const Json& values) {
  std::string text;
  for (const sweep::Parameter& parameter : spec.parameters)
    if (const auto value = values.find(parameter.name); value != values.end())
      text += (text.empty() ? "" : " ") + parameter.name + "=" + parameter_text(*value);
  return text;
}

std::string untried_in_words(const SweepState& state) {
  const sweep::SweepSpec& spec = state.spec();
  const std::uint64_t made = state.trials().size(), most = spec.budget.trials;
  const std::optional<std::uint64_t> size = sweep::Space(spec.parameters, spec.constraints).size();
  // With constraints, the number of allowed points is unknown: the size includes points that constraints
  // exclude.
  const bool is_all_tried = state.end().kind == sweep::record::End::Kind::space_tried;
  if (is_all_tried || (size && made >= *size)) return {};
  if (made < most) {
    const std::uint64_t wanted = size ? std::min(most, *size) : most;
    return std::to_string(wanted - made) + " of " + std::to_string(wanted) + " trials were not started";
  }
  const bool is_given =
      find(spec.document, {"spec", "maxTrialCount"}) || find(spec.document, {"spec", "budget", "trials"});
  if (is_given) return {};
  const std::string all = size ? std::to_string(*size) : "N";
  return (size ? std::to_string(*size - made) + " of " + all + " points were not tried: "
               : "other values were not tried: ") +
         std::to_string(most) + " trials is the default; `kml sweep resume " + spec.name + " --trials " +
         all + "` continues";
}

std::string sweep_summary(const SweepState& state, Time now) {
  const size_t ended = state.lists().ended.size(), begun = state.lists().running.size();
  const auto running = static_cast<size_t>(
      std::count_if(state.lists().running.begin(), state.lists().running.end(),
                    [&](std::uint64_t number) { return state.trials()[number].is_seen; }));
  const std::uint64_t planned = planned_trials(state);
  std::string text = state.spec().name + ": ";
  text += ended <= planned ? fmt::format("{} of {} trials done", ended, planned)
                           // more trials have ended than planned, because `planned` was reduced
                           : fmt::format("{} trials done, {} planned", ended, planned);
  text += fmt::format(", {} running", running);
  if (begun > running) text += fmt::format(", {} waiting", begun - running);
  if (!state.lists().withdrawn.empty()) text += fmt::format(", {} withdrawn", state.lists().withdrawn.size());
  const size_t pruned = state.lists().count(sweep::Outcome::pruned),
               good = state.lists().count(sweep::Outcome::complete) + pruned;
  if (pruned > 0) text += fmt::format(", {} stopped early", pruned);
  if (ended > good) text += fmt::format(", {} without a result", ended - good);
  if (state.best()) {
    const Trial& best = state.trials()[*state.best()];
    text += fmt::format("; best {} {} (trial {})", state.spec().objective.metric, number_text(*best.value),
                        best.number);
  }
  if (!state.front().empty()) text += "; " + front_in_words(state);
  text += "; " + short_duration(state.sessions().wall_time(now));
  if (const double hours = state.gpu_seconds() / 3600; hours > 0)
    text += ", " + (hours < 1 ? fmt::format("{:.2g}", hours) : fmt::format("{:.1f}", hours)) + " GPU hours";
  if (const auto left = time_left(state, now); left >= std::chrono::seconds(1))
    text += ", about " + short_duration(*left) + " left";
  return text;
}

std::string waits_in_words(const Waits& waits) {
  constexpr size_t kMost = 3;
  std::map<std::string, size_t> counts;
  for (const auto& [trial, cause] : waits) ++counts[cause];
  std::vector<std::pair<size_t, std::string>> causes;
  for (const auto& [cause, count] : counts) causes.emplace_back(count, cause);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(causes.size(), kMost); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "waiting: " : "; ", causes[i].first, causes[i].second);
  return text;
}

void print_trials(const Streams& streams, const SweepState& state, const sweep::Engine* engine,
                  const Waits& waits, size_t most, bool with_header, Time now) {
  const auto style = [&](const Trial* trial) {
    return is_best(state, trial->number) ? Style::bold : Style::plain;
  };
  const auto number = [](const std::optional<double>& value) { return value ? number_text(*value) : "-"; };
  const auto ran = state.timeline().ran(now);
  const StoppingReport stopping(state);
  const auto step = [&](const Trial* trial) {
    const sweep::Progress* progress = engine ? engine->progress(trial->number) : nullptr;
    double last = trial->curve.empty() ? 0 : trial->curve.back().first;
    if (const auto found = trial->diverged.find(state.spec().objective.metric);
        found != trial->diverged.end())
      last = std::max(last, found->second.first);
    if (progress && progress->has_value() && !trial->has_ended()) last = progress->last_step();
    return last > 0 ? number_text(last) : "-";
  };
  const auto cause = [&](const Trial* trial) {
    const auto wait = waits.find(trial->number);
    const std::string& text = wait == waits.end() || trial->has_ended() ? trial->cause : wait->second;
    return in_a_line(text.empty() ? stopping.why(*trial) : text);
  };
  std::vector<Column<const Trial*>> columns = {
      {"TRIAL", [](const Trial* trial) { return std::to_string(trial->number); }},
      {"STATE",
       [](const Trial* trial) -> Cell {
         return {state_text(*trial), style_of(*trial)};
       }},
      {upper(state.spec().objective.metric), [&](const Trial* trial) -> Cell {
         return {number(value_of(*trial, state, engine)), style(trial)};
       }}};
  for (const std::string& metric : state.spec().objective.additional)
    columns.emplace_back(upper(metric), [&](const Trial* trial) -> Cell {
      return {number(metric_of(*trial, metric, engine)), style(trial)};
    });
  columns.emplace_back("STEP", step);
  columns.emplace_back("TIME", [&](const Trial* trial) {
    return ran.contains(trial->number) ? short_duration(ran.at(trial->number)) : "-";
  });
  for (const sweep::Parameter& parameter : state.spec().parameters)
    columns.emplace_back(parameter.name, [&](const Trial* trial) {
      const auto found = trial->values.find(parameter.name);
      return found == trial->values.end() ? "-" : parameter_text(*found);
    });
  columns.emplace_back("CAUSE", cause);
  std::vector<const Trial*> trials = in_order(state);
  if (most > 0 && trials.size() > most) trials.resize(most);
  const Table table = table_of(columns, trials);
  table.print(streams, with_header);
}

}  // namespace kml::ui
