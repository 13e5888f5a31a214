#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "job/first_error/deaths.h"
#include "kml/base/text.h"
#include "pod/hang/deadlock.h"
#include "pod/hang/evidence.h"
#include "pod/hang/hang.h"
#include "pod/hang/next_commands.h"
#include "pod/hang/words.h"

namespace kml::pod {

namespace {

using Places = std::vector<size_t>;

/// How long a rank may take to write a checkpoint while no bytes move, for example in fsync().
constexpr std::chrono::minutes kLongestSave{10};
/// If a program only computes and prints no line for this long, it may be in an endless loop.
constexpr std::chrono::seconds kLongSilence{90};
/// How long the other ranks may need to notice that a rank is lost.
constexpr std::chrono::seconds kMoment{10};

/// The times between samples to suggest for another attempt.
constexpr std::chrono::seconds kLongerLook{10}, kLongestLook{300};

/// Whether another rank has printed lines long after this rank died.
bool have_gone_on(const JobLook& look, size_t dead, Time died) {
  for (size_t i = 0; i < look.ranks.size(); ++i) {
    const std::optional<Time>& last = look.ranks[i].log.last_at;
    if (i != dead && last && *last - kMoment > died) return true;
  }
  return false;
}

class Judge {
 public:
  explicit Judge(const JobLook& look) : look_(look), seen_(evidence_of(look)) {}

  HangVerdict judge();

 private:
  // Each of these functions decides, or returns false to let the next one decide.
  bool moves();
  bool find_stopped();
  std::optional<std::pair<size_t, std::string>> deadlock();
  bool find_deadlock();
  bool find_dead();
  bool find_lost_by_ras();
  bool works();
  bool find_failed();
  bool find_quiet();
  bool differs_by_ras();
  bool stands_apart();
  bool calls_different_operations();
  bool find_behind_by_steps();
  bool calls_same_operation();
  bool find_unknown();

  bool stuck(HangCause cause, Places ranks, Confidence confidence, const std::string& summary,
             const std::string& cause_text);
  bool moving(HangCause cause, Places ranks, std::string summary);
  bool quiet(HangCause cause, Places ranks, std::string summary);
  bool culprit_by_ras(const Places& ranks, const std::string& summary);
  bool is_still(std::chrono::seconds time) const { return !seen_.still_for || *seen_.still_for >= time; }
  bool is_any_busy() const { return !seen_.places(Doing::works).empty(); }
  Places others_than(const Places& ranks) const;
  std::string others_wait(const Places& ranks) const;
  std::string words(const Places& ranks) const { return ranks_in_words(look_, ranks); }
  void add_source(const std::string& source) {
    if (std::find(verdict_.sources.begin(), verdict_.sources.end(), source) == verdict_.sources.end())
      verdict_.sources.push_back(source);
  }
  void add_sources_of(size_t place);

  const JobLook& look_;
  const HangEvidence seen_;
  HangVerdict verdict_;
};

Places Judge::others_than(const Places& ranks) const {
  Places others;
  for (size_t i = 0; i < look_.ranks.size(); ++i)
    if (look_.ranks[i].runs && std::find(ranks.begin(), ranks.end(), i) == ranks.end()) others.push_back(i);
  return others;
}

/// The activity of the other ranks: "ranks 0-6 wait in all_reduce; "; empty if there are none.
std::string Judge::others_wait(const Places& ranks) const {
  const Places others = others_than(ranks);
  if (others.empty()) return {};
  std::string operation;
  if (seen_.has_own_ras && !seen_.ras.operation.empty())
    operation = fmt::format(" in {} #{}", seen_.ras.operation, seen_.ras.launched);
  for (const size_t place : others)
    if (operation.empty() && !seen_.states[place].operation.empty())
      operation = " in " + seen_.states[place].operation;
  return words(others) + verb(others, "waits", "wait") + operation + "; ";
}

void Judge::add_sources_of(size_t place) {
  if (seen_.states[place].is_by_stack) add_source("stack");
  if (!look_.ranks[place].processes.empty()) add_source("processes");
}

bool Judge::stuck(HangCause cause, Places ranks, Confidence confidence, const std::string& summary,
                  const std::string& cause_text) {
  verdict_.state = HangState::stuck;
  verdict_.cause = cause;
  verdict_.confidence = confidence;
  verdict_.summary = summary;
  verdict_.cause_text = cause_text + (ranks.empty() ? "" : " on " + words(ranks));
  verdict_.ranks = std::move(ranks);
  for (const size_t place : verdict_.ranks) add_sources_of(place);
  return true;
}

bool Judge::moving(HangCause cause, Places ranks, std::string summary) {
  verdict_.state = HangState::moves;
  verdict_.cause = cause;
  verdict_.confidence = Confidence::high;
  verdict_.ranks = std::move(ranks);
  verdict_.summary = std::move(summary);
  return true;
}

bool Judge::quiet(HangCause cause, Places ranks, std::string summary) {
  const nanoseconds longer = std::clamp<nanoseconds>(seen_.patience, kLongerLook, kLongestLook);
  verdict_.next.push_back("kml hang " + look_.job + " --for " + short_duration(longer));
  moving(cause, std::move(ranks), std::move(summary)), verdict_.state = HangState::quiet;
  return true;
}

/// A deadlock of threads is reported even if the rest of the program continues.
bool Judge::moves() {
  if (seen_.progress.empty()) return false;
  add_source(seen_.has_own_ras && seen_.ras.has_moved ? "NCCL RAS" : "log");
  if (const auto found = deadlock())
    return moving(HangCause::deadlock, {found->first},
                  seen_.progress + "; but " + words({found->first}) + ": " + found->second);
  return moving(HangCause::none, {}, seen_.progress);
}

bool Judge::find_stopped() {
  const Places ranks = seen_.places(Doing::stopped);
  if (ranks.empty()) return false;
  return stuck(HangCause::stopped, ranks, Confidence::high,
               others_wait(ranks) + words(ranks) + ": " + seen_.states[ranks[0]].where, "stopped process");
}

/// The first rank that has a deadlock, with its description.
std::optional<std::pair<size_t, std::string>> Judge::deadlock() {
  for (size_t i = 0; i < look_.ranks.size(); ++i)
    if (const auto found = deadlock_in(look_.ranks[i])) {
      add_source(look_.ranks[i].stacks.empty() ? "processes" : "stack");
      return {{i, *found}};
    }
  return {};
}

/// A deadlock is permanent, so it is reported at once.
bool Judge::find_deadlock() {
  const auto found = deadlock();
  return found &&
         stuck(HangCause::deadlock, {found->first}, Confidence::high,
               others_wait({found->first}) + words({found->first}) + ": " + found->second, "deadlock");
}

/// Includes a rank's earlier attempts, because the other ranks may still wait for a pod that died then.
bool Judge::find_dead() {
  Places ranks;
  HangCause cause = HangCause::dead_peer;
  std::string how;
  for (size_t i = 0; look_.died && i < look_.ranks.size(); ++i) {
    const job::Death& death = look_.died->death;
    const RankLook& rank = look_.ranks[i];
    const bool is_it = rank.pod == death.source.pod || (rank.rank && rank.rank == death.source.rank);
    const bool may_recover = rank.runs || rank.starts_again;
    if (!is_it ||
        (may_recover && (is_any_busy() || !is_still(kMoment) || have_gone_on(look_, i, death.when()))))
      continue;
    ranks = {i};
    how = " died: " + job::in_words(death.exit);
    if (death.kind == job::EndKind::own_error) cause = HangCause::exception;
    for (const job::TailLine& line : death.lines)
      if (job::kind_told_by(line.text) == job::EndKind::own_error) how = " failed: " + line.text;
    add_source("pod status");
  }
  Confidence confidence = Confidence::high;
  // Even when nothing is wrong, ranks end at different times.
  if (ranks.empty() && !is_any_busy() && seen_.is_patience_over()) {
    confidence = Confidence::medium;
    ranks = seen_.places(Doing::gone);
    if (ranks.size() == look_.ranks.size()) return false;
    for (const size_t place : ranks) {
      const std::string& error = look_.ranks[place].log.error;
      if (!error.empty()) cause = HangCause::exception;
      how = error.empty() ? ": " + seen_.states[place].where : " failed: " + error;
    }
  }
  if (ranks.empty()) return false;
  const std::string what = cause == HangCause::exception ? "error" : "dead process";
  return stuck(cause, ranks, confidence, others_wait(ranks) + words(ranks) + how, what);
}

bool Judge::find_lost_by_ras() {
  if (seen_.ras_lost.empty()) return false;
  add_source("NCCL RAS");
  const Places& ranks = seen_.ras_lost;
  return stuck(HangCause::dead_peer, ranks, seen_.ras.is_dead ? Confidence::high : Confidence::medium,
               others_wait(ranks) + words(ranks) + verb(ranks, "does", "do") + " not respond to NCCL's RAS",
               "lost process");
}

/// Whether ranks work. Ranks that wait in an NCCL collective use a processor, so without a stack they look
/// busy; RAS knows which ranks really work. The flight recorder's files may be older than what a busy rank
/// has done since. A rank may also use a processor while it waits.
bool Judge::works() {
  const Places& awaited = seen_.ras_behind;
  Places busy = seen_.places(Doing::works);
  if (!awaited.empty() && seen_.counts_from == kRas)
    std::erase_if(busy, [&](size_t place) {
      return std::find(awaited.begin(), awaited.end(), place) == awaited.end();
    });
  HangCause cause = others_than(busy).empty() ? HangCause::none : HangCause::slow_rank;
  Places saving;
  for (size_t i = 0; i < look_.ranks.size(); ++i) {
    const RankState& state = seen_.states[i];
    const bool is_busy = std::find(busy.begin(), busy.end(), i) != busy.end();
    const bool writes = state.is_saving || look_.ranks[i].log.is_saving;
    // While a disk is flushed, no bytes move, so a checkpoint is only doubted after a long time.
    if (writes && (is_busy || (state.doing == Doing::input && !is_still(kLongestSave)))) saving.push_back(i);
    if (is_busy && state.is_compiling) cause = HangCause::compiling;
  }
  if (busy.empty() && saving.empty()) return false;
  add_source("processes");
  if (busy.empty())
    return quiet(HangCause::checkpoint, saving, words(saving) + ": " + in_words(seen_.states[saving[0]]));
  if (!saving.empty()) busy = saving, cause = HangCause::checkpoint;
  const RankState& busiest = seen_.states[busy[0]];
  const bool is_known_work = cause == HangCause::checkpoint || cause == HangCause::compiling;
  if (!is_known_work && seen_.still_for &&
      *seen_.still_for >= std::max<nanoseconds>(kLongSilence, seen_.patience))
    return quiet(cause, busy,
                 fmt::format("no output for {}{}; {}: {}", short_duration(*seen_.still_for),
                             busiest.always.empty() ? "" : ", always in " + busiest.always, words(busy),
                             in_words(busiest)));
  moving(cause, busy, words(busy) + ": " + in_words(busiest));
  if (cause != HangCause::checkpoint && seen_.is_patience_over())
    verdict_.confidence = seen_.states[busy[0]].is_by_stack ? Confidence::medium : Confidence::low;
  return true;
}

bool Judge::find_failed() {
  if (!seen_.is_patience_over()) return false;
  std::optional<size_t> first;
  for (size_t i = 0; i < look_.ranks.size(); ++i) {
    const LogLook& log = look_.ranks[i].log;
    if ((!log.error.empty() || log.was_killed) && (!first || log.last_at < look_.ranks[*first].log.last_at))
      first = i;
  }
  if (!first) return false;
  const LogLook& log = look_.ranks[*first].log;
  add_source("log");
  const bool is_error = !log.error.empty();
  return stuck(is_error ? HangCause::exception : HangCause::dead_peer, {*first}, Confidence::high,
               others_wait({*first}) + words({*first}) + (is_error ? " failed: " + log.error : " was killed"),
               is_error ? "error" : "dead process");
}

/// Whether the job has been silent, but not for longer than usual.
bool Judge::find_quiet() {
  if (seen_.is_patience_over()) return false;
  return quiet(
      HangCause::none, {},
      fmt::format("nothing moved in {}s, but it is too early to call the job stuck", look_.between.count()));
}

bool Judge::culprit_by_ras(const Places& ranks, const std::string& summary) {
  add_source(std::string(seen_.counts_from));
  const bool has_one = ranks.size() == 1;
  for (const size_t place : ranks)
    if (seen_.states[place].doing == Doing::input)
      return stuck(HangCause::input_stall, {place}, has_one ? Confidence::high : Confidence::medium, summary,
                   "input stall");
  return stuck(HangCause::behind, ranks, has_one ? Confidence::high : Confidence::low, summary,
               "missing call");
}

bool Judge::differs_by_ras() {
  const RasState& ras = seen_.ras;
  if (!seen_.ras_different.empty()) {
    add_source(std::string(seen_.counts_from));
    const Places& ranks = seen_.ras_different;
    const std::string what =
        seen_.difference.empty() ? " launched other operations" : " called " + seen_.difference;
    return stuck(HangCause::mismatch, ranks, Confidence::high, others_wait(ranks) + words(ranks) + what,
                 "collective mismatch");
  }
  if (seen_.ras_behind.empty()) return false;
  const Places& ranks = seen_.ras_behind;
  return culprit_by_ras(
      ranks, others_wait(ranks) + words(ranks) + fmt::format(" launched only {}", ras.launched_by_behind));
}

/// Whether most ranks wait for each other, but some wait for something else.
bool Judge::stands_apart() {
  const Places input = seen_.places(Doing::input), asleep = seen_.places(Doing::asleep);
  const Places& ranks = input.empty() ? asleep : input;
  const bool is_lone = look_.ranks.size() == 1;
  if (ranks.empty() || (input.empty() && ranks.size() == look_.ranks.size() && !is_lone)) return false;
  const RankState& state = seen_.states[ranks[0]];
  const Confidence confidence = ranks.size() * 2 > look_.ranks.size() && !is_lone ? Confidence::low
                                : state.is_by_stack || ranks.size() == 1          ? Confidence::high
                                                                                  : Confidence::medium;
  const std::string summary = others_wait(ranks) + words(ranks) + ": " + in_words(state);
  return input.empty()
             ? stuck(HangCause::behind, ranks, std::min(confidence, Confidence::medium), summary, "sleep")
             : stuck(HangCause::input_stall, ranks, confidence, summary, "input stall");
}

bool Judge::calls_different_operations() {
  std::map<std::string, Places> by_operation;
  for (size_t i = 0; i < look_.ranks.size(); ++i)
    if (seen_.states[i].doing == Doing::collective) by_operation[seen_.states[i].operation].push_back(i);
  if (by_operation.size() < 2) return false;
  const auto fewest =
      std::min_element(by_operation.begin(), by_operation.end(),
                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const Places ranks = fewest->second;
  by_operation.erase(fewest);
  std::vector<std::string> parts;
  for (const auto& [operation, places] : by_operation)
    parts.push_back(words(places) + verb(places, "waits", "wait") + " in " + operation);
  return stuck(HangCause::mismatch, ranks, Confidence::high,
               join(parts, ", ") + "; " + words(ranks) + " in " + seen_.states[ranks[0]].operation,
               "collective mismatch");
}

bool Judge::find_behind_by_steps() {
  std::optional<double> least, most;
  for (const RankLook& rank : look_.ranks)
    if (const auto step = rank.log.step_later ? rank.log.step_later : rank.log.step) {
      least = least ? std::min(*least, *step) : *step;
      most = most ? std::max(*most, *step) : *step;
    }
  if (!least || *least == *most) return false;
  Places ranks;
  for (size_t i = 0; i < look_.ranks.size(); ++i) {
    const LogLook& log = look_.ranks[i].log;
    if ((log.step_later ? log.step_later : log.step) == least) ranks.push_back(i);
  }
  // If only a single rank prints steps up to the end, the others are not behind.
  if (ranks.size() * 2 > look_.ranks.size()) return false;
  add_source("log");
  return stuck(
      HangCause::behind, ranks, Confidence::low,
      others_wait(ranks) + words(ranks) + fmt::format(" printed only step {:g} of {:g}", *least, *most),
      "missing call");
}

bool Judge::calls_same_operation() {
  const Places ranks = seen_.places(Doing::collective);
  const bool agree_by_ras = seen_.has_own_ras && seen_.ras.has_counts;
  if (!agree_by_ras && (ranks.empty() || ranks.size() != look_.ranks.size())) return false;
  if (agree_by_ras) add_source("NCCL RAS");
  return stuck(HangCause::mismatch, {}, Confidence::low,
               others_wait({}) + "all ranks have called the operation, but it does not complete",
               "tensors of different sizes, or the network");
}

bool Judge::find_unknown() {
  return stuck(
      HangCause::unknown, {}, Confidence::low,
      fmt::format("nothing moved in {}s, and no rank differs from the others", look_.between.count()),
      "unknown");
}

HangVerdict Judge::judge() {
  verdict_.still_for = seen_.still_for;
  for (const RankState& state : seen_.states) verdict_.doing.push_back(in_words(state));
  [[maybe_unused]] const bool is_decided =
      moves() || find_stopped() || find_deadlock() || find_dead() || find_lost_by_ras() || works() ||
      find_failed() || find_quiet() || differs_by_ras() || calls_different_operations() || stands_apart() ||
      find_behind_by_steps() || calls_same_operation() || find_unknown();
  if (verdict_.state == HangState::stuck) verdict_.next = next_commands(look_, verdict_);
  return std::move(verdict_);
}

}  // namespace

HangVerdict verdict(const JobLook& look) {
  return Judge(look).judge();
}

}  // namespace kml::pod
