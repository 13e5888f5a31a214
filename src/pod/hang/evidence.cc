#include "pod/hang/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kml/base/text.h"
#include "pod/hang/flight_record.h"

namespace kml::pod {

namespace {

constexpr std::chrono::seconds kLeastPatience{10}, kPatienceWithoutLines{30};
/// How long after a timeout PyTorch's watchdog may need: it reports the timeout in the log, and writes the
/// flight recorder's file.
constexpr std::chrono::seconds kUntilWritten{60};

std::string steps_of(const JobLook& look) {
  const RankLook* moved = nullptr;
  for (const RankLook& rank : look.ranks) {
    const LogLook& log = rank.log;
    if (!log.step || !log.step_later || *log.step == *log.step_later) continue;
    if (!moved || *log.step_later > *moved->log.step_later) moved = &rank;
  }
  if (!moved) return {};
  const double by = *moved->log.step_later - *moved->log.step;
  std::string text = fmt::format("step {:g}", *moved->log.step_later);
  if (by > 0 && look.between.count() > 0)
    text += fmt::format(", {:.2g} steps/s", by / static_cast<double>(look.between.count()));
  return text;
}

/// The text about a program that prints lines, but no steps.
std::string new_lines_of(const JobLook& look) {
  int lines = 0;
  for (const RankLook& rank : look.ranks) {
    if (rank.log.step || rank.log.step_later) return {};
    lines += rank.log.new_lines;
  }
  return lines == 0
             ? ""
             : fmt::format("{} new {} in {}s", lines, lines == 1 ? "line" : "lines", look.between.count());
}

bool is_any_of(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool has_process(const RankLook& rank, int pid) {
  return std::any_of(rank.processes.begin(), rank.processes.end(),
                     [pid](const Process& process) { return process.pid == pid; });
}

bool is_loopback(const RankLook& rank) {
  return std::all_of(rank.addresses.begin(), rank.addresses.end(),
                     [](const std::string& address) { return address.starts_with("127."); });
}

/// Whether a process in the RAS report may belong to this rank. On this machine, addresses are loopback
/// addresses, so they prove nothing.
bool may_be_of(const RasRank& member, const RankLook& rank) {
  return (is_loopback(rank) || member.host.empty() || is_any_of(rank.addresses, member.host)) &&
         (rank.processes.empty() || has_process(rank, member.pid));
}

/// Whether the members belong to this job. A pod in its node's network may reach a different job's RAS.
bool is_of_job(const JobLook& look, const std::vector<RasRank>& members) {
  bool names_any = false;
  for (const RasRank& member : members) {
    if (member.pid == 0 || member.state != RasRank::State::member) continue;
    names_any = true;
    for (const RankLook& rank : look.ranks)
      if (may_be_of(member, rank)) return true;
  }
  return !names_any;
}

std::optional<size_t> place_of(const JobLook& look, const RasState& ras, int number) {
  const auto member = std::find_if(ras.members.begin(), ras.members.end(),
                                   [number](const RasRank& one) { return one.rank == number; });
  std::vector<size_t> matches;
  if (member != ras.members.end() && member->pid != 0)
    for (size_t i = 0; i < look.ranks.size(); ++i)
      if (is_any_of(look.ranks[i].addresses, member->host) && has_process(look.ranks[i], member->pid))
        matches.push_back(i);
  // On this machine, pods share an address, but the numbers of processes start again in each pod.
  if (matches.size() == 1) return matches[0];
  // Launchers give the lowest numbers to the ranks in the first pod.
  const auto pods = static_cast<int>(look.ranks.size());
  if (pods == 0 || ras.size < pods || ras.size % pods != 0 || number < 0 || number >= ras.size) return {};
  return static_cast<size_t>(number / (ras.size / pods));
}

std::vector<size_t> places_of(const JobLook& look, const RasState& ras, const std::vector<int>& numbers) {
  std::vector<size_t> places;
  for (const int number : numbers)
    if (const auto place = place_of(look, ras, number))
      if (std::find(places.begin(), places.end(), *place) == places.end()) places.push_back(*place);
  return places;
}

/// Adds the processes with which RAS has lost contact. Leaves out those that a communicator lists among its
/// ranks.
void add_lost_processes(const JobLook& look, HangEvidence& evidence) {
  for (const RasRank& lost : look.ras_later->lost)
    for (size_t i = 0; i < look.ranks.size(); ++i)
      if (is_any_of(look.ranks[i].addresses, lost.host) && has_process(look.ranks[i], lost.pid) &&
          std::find(evidence.ras_lost.begin(), evidence.ras_lost.end(), i) == evidence.ras_lost.end())
        evidence.ras_lost.push_back(i);
}

void add_ras(const JobLook& look, HangEvidence& evidence) {
  if (!look.ras || !look.ras_later) return;
  evidence.ras = ras_state(*look.ras, *look.ras_later);
  // Jobs on this machine share its network. In separate namespaces, their processes may have the same
  // numbers.
  const bool is_here = std::all_of(look.ranks.begin(), look.ranks.end(), is_loopback);
  const bool fits = !look.ranks.empty() && evidence.ras.size % static_cast<int>(look.ranks.size()) == 0;
  evidence.has_own_ras = (!is_here || fits) && is_of_job(look, evidence.ras.members);
  if (!evidence.has_own_ras) return;
  evidence.ras_lost = places_of(look, evidence.ras, evidence.ras.lost);
  evidence.ras_behind = places_of(look, evidence.ras, evidence.ras.behind);
  evidence.ras_different = places_of(look, evidence.ras, evidence.ras.different);
  add_lost_processes(look, evidence);
  if (evidence.ras.has_moved && evidence.progress.empty())
    evidence.progress = evidence.ras.operation.empty()
                            ? "NCCL operations"
                            : fmt::format("{} #{}", evidence.ras.operation, evidence.ras.launched);
}

/// The records of the job's ranks that show what each rank waits for now, each with the rank's index in
/// JobLook::ranks.
std::vector<std::pair<const FlightRecord*, size_t>> flights_of(const JobLook& look,
                                                               const HangEvidence& evidence) {
  std::map<int, std::pair<const FlightRecord*, size_t>> by_rank;
  bool is_shared = false;  // pods that share a folder see the files of all ranks
  for (size_t i = 0; i < look.ranks.size(); ++i)
    for (const FlightRecord& record : look.ranks[i].flights) {
      const bool is_old = evidence.still_for && record.age > *evidence.still_for + kUntilWritten;
      if (!record.rank || is_old) continue;
      is_shared |= !by_rank.try_emplace(*record.rank, &record, i).second;
    }
  const size_t pods = look.ranks.size();
  if (is_shared && by_rank.size() % pods != 0) return {};
  std::vector<std::pair<const FlightRecord*, size_t>> flights;
  for (const auto& [rank, flight] : by_rank)  // launchers number the ranks in the first pod first
    flights.emplace_back(flight.first, is_shared ? flights.size() / (by_rank.size() / pods) : flight.second);
  return flights;
}

/// Only uses a difference between the records, because the recorder does not notice when Gloo's operations
/// end.
void add_flights(const JobLook& look, HangEvidence& evidence) {
  const bool is_known_by_ras = evidence.has_own_ras && (!evidence.ras_lost.empty() || evidence.ras.has_moved);
  const auto flights = flights_of(look, evidence);
  if (is_known_by_ras || flights.empty()) return;
  std::vector<const FlightRecord*> records;
  for (const auto& [record, place] : flights) records.push_back(record);
  const FlightState state = flight_state(records);
  if (state.different.empty() && (state.behind.empty() || !evidence.ras_behind.empty())) return;
  const auto places = [&](const std::vector<size_t>& indexes) {
    std::set<size_t> found;
    for (const size_t i : indexes) found.insert(flights[i].second);
    return std::vector<size_t>(found.begin(), found.end());
  };
  evidence.has_own_ras = true;
  evidence.counts_from = "flight recorder";
  evidence.difference = state.difference;
  evidence.ras.operation = state.operation;
  evidence.ras.launched = state.launched;
  evidence.ras.launched_by_behind = state.launched_by_behind;
  evidence.ras_behind = places(state.behind);
  evidence.ras_different = places(state.different);
}

void add_times(const JobLook& look, HangEvidence& evidence) {
  std::optional<Time> newest;
  std::optional<nanoseconds> pause;
  for (const RankLook& rank : look.ranks) {
    newest = std::max(newest, rank.log.last_at ? rank.log.last_at : rank.started);
    pause = std::max(pause, rank.log.longest_pause);
  }
  // The nodes' clocks may be ahead of this machine's.
  if (newest) evidence.still_for = std::max(look.now - *newest, nanoseconds(0));
  evidence.patience = kPatienceWithoutLines;
  if (pause) evidence.patience = std::max<nanoseconds>(kLeastPatience, 2 * *pause + std::chrono::seconds(5));
}

}  // namespace

std::vector<size_t> HangEvidence::places(Doing doing) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].doing == doing) found.push_back(i);
  return found;
}

HangEvidence evidence_of(const JobLook& look) {
  HangEvidence evidence;
  for (const RankLook& rank : look.ranks) evidence.states.push_back(rank_state(rank));
  evidence.progress = steps_of(look);
  if (evidence.progress.empty()) evidence.progress = new_lines_of(look);
  add_times(look, evidence);
  add_ras(look, evidence);
  add_flights(look, evidence);
  return evidence;
}

}  // namespace kml::pod
