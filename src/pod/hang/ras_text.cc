#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "kml/base/text.h"
#include "pod/hang/ras_answer.h"

namespace kml::pod {

namespace {

std::optional<long long> number_in(std::string_view text) {
  long long number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

/// The text after `part` in the line; empty if the line does not contain it.
std::string_view after(std::string_view line, std::string_view part) {
  const size_t at = line.find(part);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + part.size());
}

std::optional<long long> number_after(std::string_view line, std::string_view part) {
  return number_in(after(line, part));
}

/// The ranks in "26 ranks have launched up to operation 6650"; RAS only lists them if there are few.
struct Group {
  long long count = 0;
  int size = 0;
  std::vector<RasRank> ranks = {};
};

class TextReader {
 public:
  RasAnswer read(std::string_view text) {
    for (const std::string& line : split(text, '\n')) take(line);
    end_operation();
    return std::move(answer_);
  }

 private:
  void take(std::string_view line);
  void take_heading(std::string_view line);
  void take_row(std::string_view line);
  void take_group(std::string_view line);
  void take_rank(std::string_view line);
  void take_process(std::string_view line);
  void end_operation();
  RasRank& rank_of(int number);

  RasAnswer answer_;
  std::map<int, int> sizes_;  ///< how many ranks each communicator has, by group
  RasCommunicator* current_ = nullptr;
  std::string heading_;    ///< the heading of a part, such as "MISMATCH", "INCOMPLETE" or "DEAD"
  std::string operation_;  ///< the operation whose counts differ; empty outside such a list
  std::vector<Group> groups_;
};

/// Parses "Rank 7 -- GPU 7 managed by process 483079 on node 172.16.64.210".
void read_process(std::string_view line, RasRank& rank) {
  rank.pid =
      static_cast<int>(number_after(line, "process ").value_or(number_after(line, "Process ").value_or(0)));
  rank.host = after(line, "on node ").substr(0, after(line, "on node ").find(' '));
}

void TextReader::take(std::string_view full) {
  const std::string_view line = trim(full);
  if (line.empty()) return end_operation();
  if (line.starts_with("NCCL version ")) answer_.version = line.substr(13, line.find(' ', 13) - 13);
  if (full[0] != ' ' && (full[0] == '#' || line == "DEAD" || line == "INCOMPLETE" || line == "TIMEOUT"))
    return take_heading(line);
  if (current_ == nullptr && heading_.empty()) return take_row(line);
  if (line.starts_with("Communicator ranks have different ")) {
    end_operation();
    operation_ = std::string(after(line, "different "));
    const size_t end = operation_.find(" operation counts");
    // a list of "different status" has no operation
    operation_ = end == std::string::npos ? "" : operation_.substr(0, end);
    if (operation_ == "collective") operation_ = "collective operation";  // before 2.26
    return;
  }
  if (line.starts_with("The missing rank"))
    for (const std::string& number : split(after(line, ": "), ','))
      rank_of(static_cast<int>(number_in(trim(number)).value_or(-1))).state = RasRank::State::unresponsive;
  if (line.starts_with("Rank ")) return take_rank(line);
  if (line.starts_with("Process ")) return take_process(line);
  if (contains(line, " ranks have ")) take_group(line);
}

/// Parses "#0-0 (27a079b828ff1a75) MISMATCH", or "DEAD" above processes.
void TextReader::take_heading(std::string_view line) {
  end_operation();
  current_ = nullptr;
  heading_ = line.substr(line.rfind(' ') + 1);
  if (line[0] != '#') return;
  const std::string id(after(line, "(").substr(0, after(line, "(").find(')')));
  const auto known = std::find_if(answer_.communicators.begin(), answer_.communicators.end(),
                                  [&](const RasCommunicator& one) { return one.id == id; });
  if (known != answer_.communicators.end()) {
    current_ = &*known;
    return;
  }
  const int group = static_cast<int>(number_in(line.substr(1)).value_or(-1));
  answer_.communicators.push_back({.id = id, .size = sizes_[group]});
  current_ = &answer_.communicators.back();
}

/// Parses a row in the table of groups: number, communicators, nodes, ranks per node, ranks per communicator,
/// …
void TextReader::take_row(std::string_view line) {
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  const bool is_row = words.size() >= 7 && number_in(words[0]) && number_in(words[4]) && !number_in(words[6]);
  if (is_row) sizes_[static_cast<int>(*number_in(words[0]))] = static_cast<int>(*number_in(words[4]));
}

void TextReader::take_group(std::string_view line) {
  if (operation_.empty()) return;
  groups_.push_back({.count = number_after(line, "up to operation ").value_or(0),
                     .size = static_cast<int>(number_in(line).value_or(0))});
}

void TextReader::take_rank(std::string_view line) {
  RasRank rank{.rank = static_cast<int>(number_in(line.substr(5)).value_or(-1))};
  read_process(line, rank);
  if (current_ == nullptr || rank.rank < 0) return;
  if (heading_ == "INCOMPLETE") {
    RasRank& lost = rank_of(rank.rank);
    lost.state = RasRank::State::unresponsive;
    lost.host = rank.host;
    lost.pid = rank.pid;
    return;
  }
  if (operation_.empty()) return;
  // If a group has one rank, the rank has no separate line.
  if (contains(line, "up to operation ") || contains(line, "has not launched"))
    groups_.push_back({.count = number_after(line, "up to operation ").value_or(0), .size = 1});
  if (!groups_.empty()) groups_.back().ranks.push_back(std::move(rank));
}

void TextReader::take_process(std::string_view line) {
  RasRank lost{.rank = -1, .state = heading_ == "DEAD" ? RasRank::State::dead : RasRank::State::unresponsive};
  read_process(line, lost);
  answer_.lost.push_back(std::move(lost));
}

RasRank& TextReader::rank_of(int number) {
  std::vector<RasRank>& ranks = current_->ranks;
  const auto found =
      std::find_if(ranks.begin(), ranks.end(), [&](const RasRank& one) { return one.rank == number; });
  if (found != ranks.end()) return *found;
  ranks.push_back({.rank = number});
  return ranks.back();
}

/// The text may omit the ranks in the largest group, which are then all remaining ranks.
void TextReader::end_operation() {
  std::set<int> listed;
  const Group* others = nullptr;
  int unlisted_groups = 0;
  for (const Group& group : groups_) {
    for (const RasRank& member : group.ranks) {
      RasRank& rank = rank_of(member.rank);
      rank.host = member.host;
      rank.pid = member.pid;
      rank.counts[operation_] = group.count;
      listed.insert(member.rank);
    }
    if (group.ranks.empty()) others = &group, ++unlisted_groups;
  }
  if (others != nullptr && unlisted_groups == 1 && current_ != nullptr)
    for (int number = 0; number < current_->size; ++number)
      if (!listed.contains(number) && rank_of(number).state == RasRank::State::member)
        rank_of(number).counts[operation_] = others->count;
  groups_.clear();
  operation_.clear();
}

}  // namespace

RasAnswer parse_ras_text(std::string_view text) {
  RasAnswer answer = TextReader().read(text);
  for (RasCommunicator& one : answer.communicators)
    std::sort(one.ranks.begin(), one.ranks.end(),
              [](const RasRank& a, const RasRank& b) { return a.rank < b.rank; });
  return answer;
}

}  // namespace kml::pod
