#include "sweep/tables/sweep_stopping.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/base/word_table.h"
#include "kml/ui/table.h"

namespace kml::ui {

using sweep::Trial;
using sweep::TrialState;
using sweep::record::Judged;

StoppingReport::StoppingReport(const sweep::SweepState& state)
    : state_(state), options_(sweep::stop_options(state.spec().stopping)) {
  if (is_empty() || !state.spec().stopping.promote) return;
  std::vector<sweep::Observation> trials;
  for (const Trial& trial : state.trials()) trials.push_back(observation(state.spec(), trial));
  for (const auto& [number, verdict] : sweep::promotion_verdicts(options_, trials))
    promotions_.emplace(number, sweep::judged(number, verdict, state.spec().objective));
}

const Judged* StoppingReport::judgement(const Trial& trial) const {
  if (const auto found = promotions_.find(trial.number); found != promotions_.end()) return &found->second;
  return trial.judgement ? &*trial.judgement : nullptr;
}

StoppingReport::Decision StoppingReport::decision(const Trial& trial) const {
  if (trial.state == TrialState::pruned) return Decision::stopped;
  if (trial.state == TrialState::paused) return Decision::paused;
  const Judged* judged = judgement(trial);
  if (judged && judged->stops) return Decision::stopped;
  const bool is_compared = judged ? judged->cutoff || sweep::has_rungs(options_.rule) : trial.judged > 0;
  return is_compared ? Decision::continued : Decision::not_judged;
}

std::string_view StoppingReport::word_of(Decision decision) {
  static constexpr std::pair<Decision, std::string_view> kWords[] = {{Decision::stopped, "stopped"},
                                                                     {Decision::paused, "paused"},
                                                                     {Decision::continued, "continued"},
                                                                     {Decision::not_judged, "not judged"}};
  return word_for(kWords, decision);
}

std::string StoppingReport::at(double resource) const {
  return state_.spec().stopping.resource + " " + number_text(resource);
}

std::string StoppingReport::why(const Trial& trial) const {
  if (is_empty()) return {};
  return sweep::has_rungs(options_.rule) ? why_at_rungs(trial) : why_by_median(trial);
}

std::string StoppingReport::why_at_rungs(const Trial& trial) const {
  const int bracket = sweep::bracket_of(options_, trial.number);
  const Decision decided = decision(trial);
  if (const Judged* judged = judgement(trial)) {
    const std::string text = fmt::format(
        "{} at {}", decided == Decision::continued ? "not stopped" : word_of(decided), at(judged->resource));
    if (!judged->cutoff)
      return fmt::format("{}: {}; fewer than {} trials had reached this rung (place {} of {} in bracket {})",
                         text, number_text(judged->value), number_text(options_.eta), judged->place,
                         judged->of, bracket);
    return fmt::format("{}: {}, cut-off {} (place {} of {} in bracket {})", text, number_text(judged->value),
                       number_text(*judged->cutoff), judged->place, judged->of, bracket);
  }
  if (decided == Decision::stopped) {  // only journals of earlier versions have a decision without a cut-off
    const double last = trial.curve.empty() ? trial.judged : trial.curve.back().first;
    return fmt::format("stopped at {} in bracket {}; the cut-off was not recorded", at(last), bracket);
  }
  const std::vector<double> ladder = sweep::rungs(options_, bracket);
  if (state_.spec().stopping.promote && trial.rung > 0)
    return fmt::format("promoted to {} in bracket {}", at(trial.until), bracket);
  if (trial.judged > 0) return fmt::format("not stopped at {} in bracket {}", at(trial.judged), bracket);
  if (ladder.size() == 1)
    return fmt::format("not judged: bracket {} has no rung before {}", bracket, at(ladder[0]));
  return fmt::format("not judged: the first rung of bracket {} is {}", bracket, at(ladder[0]));
}

std::string StoppingReport::why_by_median(const Trial& trial) const {
  const Judged* judged = judgement(trial);
  if (!judged) {
    if (trial.state == TrialState::pruned) return "stopped; the median was not recorded";
    const double grace = options_.grace;
    return grace > 0 ? "not judged: reported nothing after " + at(grace)
                     : "not judged: reported no " + state_.spec().stopping.resource;
  }
  const std::uint64_t others = judged->of - 1;
  if (!judged->cutoff)
    return fmt::format("not judged at {}: {} other {} there, fewer than {}", at(judged->resource), others,
                       others == 1 ? "trial" : "trials", options_.least_trials);
  return fmt::format("{} at {}: best {}, median {} of {} other {}", judged->stops ? "stopped" : "not stopped",
                     at(judged->resource), number_text(judged->value), number_text(*judged->cutoff), others,
                     others == 1 ? "trial" : "trials");
}

Json StoppingReport::to_json(const Trial& trial) const {
  if (is_empty()) return {};
  Json object = {{"decision", word_of(decision(trial))}, {"why", why(trial)}};
  if (sweep::has_rungs(options_.rule)) object["bracket"] = sweep::bracket_of(options_, trial.number);
  if (const Judged* judged = judgement(trial))
    object.update({{"resource", judged->resource},
                   {"value", json_of_number(judged->value)},
                   {"cutoff", judged->cutoff ? json_of_number(*judged->cutoff) : Json()},
                   {"place", judged->place},
                   {"of", judged->of}});
  return object;
}

std::map<int, StoppingReport::Bracket> StoppingReport::brackets() const {
  std::map<int, Bracket> brackets;
  if (!sweep::has_rungs(options_.rule)) return brackets;
  const int most = static_cast<int>(sweep::rungs(options_).size());
  for (int bracket = 0; bracket < std::clamp(options_.brackets, 1, most); ++bracket)
    for (const double rung : sweep::rungs(options_, bracket)) brackets[bracket].rungs.push_back({rung});
  for (const Trial& trial : state_.trials()) {
    Bracket& bracket = brackets[sweep::bracket_of(options_, trial.number)];
    ++bracket.trials;
    const Judged* judged = judgement(trial);
    const double last_report = trial.curve.empty() ? 0 : trial.curve.back().first;
    const double judged_at = judged ? judged->resource : last_report;
    const double came_to = std::max(judged_at, last_report);
    Rung* last = nullptr;  // the rung at which the trial was judged
    for (Rung& rung : bracket.rungs) {
      if (came_to >= rung.resource) ++rung.reached;
      if (judged_at >= rung.resource) last = &rung;
    }
    if (last && decision(trial) == Decision::stopped) ++last->stopped;
    if (last && decision(trial) == Decision::paused) ++last->paused;
  }
  return brackets;
}

std::vector<std::string> StoppingReport::bracket_lines() const {
  std::vector<std::string> lines;
  for (const auto& [number, bracket] : brackets()) {
    std::string line =
        fmt::format("bracket {}: {} {}", number, bracket.trials, bracket.trials == 1 ? "trial" : "trials");
    for (const Rung& rung : bracket.rungs) {
      line += fmt::format("; {}: {} reached", at(rung.resource), rung.reached);
      if (rung.stopped > 0) line += fmt::format(", {} stopped", rung.stopped);
      if (rung.paused > 0) line += fmt::format(", {} paused", rung.paused);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Json StoppingReport::to_json() const {
  if (is_empty()) return {};
  Json object = {{"rule", sweep::stop_rule_name(options_.rule)},
                 {"resource", state_.spec().stopping.resource}};
  for (const auto& [number, bracket] : brackets()) {
    Json rungs = Json::array();
    for (const Rung& rung : bracket.rungs)
      rungs.push_back({{"resource", rung.resource},
                       {"reached", rung.reached},
                       {"stopped", rung.stopped},
                       {"paused", rung.paused}});
    object["brackets"].push_back({{"bracket", number}, {"trials", bracket.trials}, {"rungs", rungs}});
  }
  return object;
}

}  // namespace kml::ui
