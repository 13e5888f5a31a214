#include "pod/hang/words.h"

#include <algorithm>

#include "kml/base/text.h"
#include "pod/hang/hang.h"

namespace kml::pod {

std::string_view name_of(HangState state) {
  switch (state) {
    case HangState::moves: return "moves";
    case HangState::quiet: return "quiet";
    case HangState::stuck: break;
  }
  return "stuck";
}

std::span<const HangCode> hang_codes() {
  static constexpr HangCode kCodes[] = {
      {HangCause::none, "The job makes progress, or it is too early to say."},
      {HangCause::slow_rank, "Some ranks are working, and the others wait for them."},
      {HangCause::checkpoint, "A checkpoint is being written."},
      {HangCause::compiling, "The program is being compiled, as happens before the first step."},
      {HangCause::stopped, "A signal or a debugger has stopped a process."},
      {HangCause::deadlock, "Threads or processes of a rank wait for each other."},
      {HangCause::dead_peer, "A rank has exited, or cannot be reached, and the others wait for it."},
      {HangCause::exception, "A rank has failed with an error, and the others wait for it."},
      {HangCause::input_stall, "A rank waits for data from a file, a pipe, a disk or its data loader."},
      {HangCause::mismatch,
       "The ranks are in different collective operations, or in one that cannot complete."},
      {HangCause::behind, "A rank does not reach the operation that the others are waiting in."},
      {HangCause::unknown, "Nothing makes progress, and no rank differs from the others."},
  };
  return kCodes;
}

std::string_view name_of(HangCause cause) {
  switch (cause) {
    case HangCause::none: return "none";
    case HangCause::slow_rank: return "slow-rank";
    case HangCause::checkpoint: return "checkpoint";
    case HangCause::compiling: return "compiling";
    case HangCause::stopped: return "stopped";
    case HangCause::deadlock: return "deadlock";
    case HangCause::dead_peer: return "dead-peer";
    case HangCause::exception: return "exception";
    case HangCause::input_stall: return "input-stall";
    case HangCause::mismatch: return "mismatch";
    case HangCause::behind: return "behind";
    case HangCause::unknown: break;
  }
  return "unknown";
}

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::low: return "low";
    case Confidence::medium: return "medium";
    case Confidence::high: break;
  }
  return "high";
}

std::string ranks_in_words(const JobLook& look, const std::vector<size_t>& places) {
  std::vector<int> numbers;
  std::vector<std::string> labels;
  for (const size_t place : places) {
    const RankLook& rank = look.ranks[place];
    if (rank.rank)
      numbers.push_back(*rank.rank);
    else
      labels.push_back(rank.label);
  }
  if (!labels.empty()) return (labels.size() == 1 ? "pod " : "pods ") + some_of(labels);
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(numbers[last]);
    i = last;
  }
  return (numbers.size() == 1 ? "rank " : "ranks ") + text;
}

std::string verb(const std::vector<size_t>& places, const char* of_one, const char* of_many) {
  return std::string(" ") + (places.size() == 1 ? of_one : of_many);
}

std::string in_words(const RankState& state) {
  const std::string where = state.where.empty() ? "" : ": " + state.where;
  switch (state.doing) {
    case Doing::stopped:
    case Doing::gone: return state.where;
    case Doing::works: return "works" + where;
    case Doing::input: return "waits for input" + where;
    case Doing::asleep: return "sleeps" + where;
    case Doing::collective:
      return "waits in " + (state.operation.empty() ? "a collective" : state.operation) + where;
    case Doing::network: return "waits for the network" + where;
    case Doing::waits: return "waits" + where;
    case Doing::unknown: break;
  }
  return state.where.empty() ? "not seen" : state.where;
}

}  // namespace kml::pod
