#include "pod/hang/flight_record.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "pod/hang/pickle.h"

namespace kml::pod {

namespace {

/// More than the 2,000 that `submit --hang-debug` asks for.
constexpr size_t kMostOperations = 20'000;
/// Sizes are lists of lists of numbers, with one list for each tensor.
constexpr int kDeepest = 3;
constexpr size_t kMostItems = 16, kLongestText = 200;
constexpr long long kLargestNumber = 1'000'000'000'000;

/// A copy of a small value. Its depth is limited, because lists in a pickle may contain each other.
Json plain(const PickleValue& value, int depth = 0) {
  switch (value.kind) {
    case PickleValue::Kind::boolean: return value.integer != 0;
    case PickleValue::Kind::integer: return value.integer;
    case PickleValue::Kind::text: return value.text;
    case PickleValue::Kind::list: {
      Json list = Json::array();
      const size_t count = depth < kDeepest ? std::min(value.items.size(), kMostItems) : 0;
      for (size_t i = 0; i < count; ++i) list.push_back(plain(*value.items[i], depth + 1));
      return list;
    }
    default: return nullptr;
  }
}

Json plain_entry(const PickleValue& entry) {
  constexpr std::array<std::string_view, 6> kUsed = {
      "process_group", "collective_seq_id", "profiling_name", "input_sizes", "state", "is_p2p"};
  Json plain_one = Json::object();
  for (const std::string_view key : kUsed) plain_one[std::string(key)] = plain(entry.at(key));
  return plain_one;
}

void add_entry(FlightRecord& record, const Json& entry) {
  const Json& group = array_at(entry, {"process_group"});
  const long long number = int_at(entry, {"collective_seq_id"}, -1);
  if (bool_at(entry, {"is_p2p"}) || number < 0 || number > kLargestNumber || group.empty() ||
      !group[0].is_string())
    return;
  const std::string name = string_at(entry, {"profiling_name"});  // "nccl:all_reduce"
  const std::string sizes =
      array_at(entry, {"input_sizes"}).dump(-1, ' ', false, Json::error_handler_t::replace);
  FlightOperation operation{.name = name.substr(name.find(':') + 1).substr(0, kLongestText),
                            .sizes = sizes.substr(0, kLongestText),
                            .is_over = string_at(entry, {"state"}) == "completed"};
  record.groups[group[0].get<std::string>()].insert_or_assign(number, std::move(operation));
}

/// The operation with this number in a record.
const FlightOperation* operation_of(const FlightRecord& record, const std::string& group, long long number) {
  const auto found = record.groups.find(group);
  if (found == record.groups.end()) return nullptr;
  const auto operation = found->second.find(number);
  return operation == found->second.end() ? nullptr : &operation->second;
}

/// Whether all ranks must pass tensors of the same sizes to this operation.
bool has_equal_sizes(const std::string& name) {
  return name.starts_with("all_reduce") || name.starts_with("broadcast") || name.starts_with("reduce");
}

std::string signature(const FlightOperation& operation) {
  return operation.name + (has_equal_sizes(operation.name) ? " of " + operation.sizes : "");
}

/// Judges a single process group in all records.
class GroupJudge {
 public:
  GroupJudge(const std::vector<const FlightRecord*>& records, std::string group)
      : records_(records), group_(std::move(group)) {
    for (size_t i = 0; i < records_.size(); ++i)
      if (const auto found = records_[i]->groups.find(group_);
          found != records_[i]->groups.end() && !found->second.empty()) {
        members_.push_back(i);
        least_ = std::min(least_.value_or(found->second.rbegin()->first), found->second.rbegin()->first);
        most_ = std::max(most_, found->second.rbegin()->first);
        first_ = std::max(first_, found->second.begin()->first);
      }
  }

  FlightState judge() {
    FlightState state{.size = static_cast<int>(members_.size())};
    if (members_.empty()) return state;
    for (const auto& [number, operation] : records_[members_[0]]->groups.at(group_))
      if (number >= first_ && number <= *least_ && state.different.empty()) compare(number, state);
    if (!state.different.empty()) return state;
    state.launched = std::min(*least_ + 1, most_);  // the operation in which the others wait
    state.launched_by_behind = *least_;
    for (const size_t i : members_) {
      if (const FlightOperation* operation = operation_of(*records_[i], group_, state.launched))
        state.operation = operation->name;
      if (records_[i]->groups.at(group_).rbegin()->first < most_) state.behind.push_back(i);
    }
    return state;
  }

 private:
  void compare(long long number, FlightState& state) const {
    std::map<std::string, std::vector<size_t>> by_signature;
    bool are_over = true;
    for (const size_t i : members_)
      if (const FlightOperation* operation = operation_of(*records_[i], group_, number)) {
        by_signature[signature(*operation)].push_back(i);
        are_over &= operation->is_over;
      }
    if (are_over || by_signature.size() < 2) return;
    const auto usual =
        std::max_element(by_signature.begin(), by_signature.end(),
                         [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    state.operation = usual->first;
    state.launched = number;
    for (const auto& [text, places] : by_signature) {
      if (text == usual->first) continue;
      state.different.insert(state.different.end(), places.begin(), places.end());
      if (state.difference.empty()) state.difference = text;
    }
  }

  const std::vector<const FlightRecord*>& records_;
  std::string group_;
  std::vector<size_t> members_;
  std::optional<long long> least_;
  long long most_ = 0, first_ = 0;
};

/// Whether the rank waits in an operation of a different group.
bool waits_elsewhere(const FlightRecord& record, const std::string& group) {
  return std::any_of(record.groups.begin(), record.groups.end(), [&](const auto& one) {
    return one.first != group && !one.second.empty() && !one.second.rbegin()->second.is_over;
  });
}

}  // namespace

FlightRecord parse_flight_record(std::string_view bytes) {
  FlightRecord record;
  if (bytes.starts_with('{')) {
    const Json json = parse_json(bytes, "the flight recorder's file");
    for (const Json& entry : array_at(json, {"entries"})) add_entry(record, entry);
    return record;
  }
  const Pickle pickle(bytes);
  if (pickle.root().kind != PickleValue::Kind::dictionary)
    throw Error(ErrorCode::failure, "cannot read the flight recorder's file", "it is not a dictionary");
  const std::vector<PickleValue*>& entries = pickle.root().at("entries").items;
  for (size_t i = entries.size() - std::min(entries.size(), kMostOperations); i < entries.size(); ++i)
    add_entry(record, plain_entry(*entries[i]));
  return record;
}

FlightState flight_state(const std::vector<const FlightRecord*>& records) {
  std::map<std::string, FlightState> states;
  for (const FlightRecord* record : records)
    for (const auto& [group, operations] : record->groups)
      if (!states.contains(group)) states[group] = GroupJudge(records, group).judge();
  FlightState most;
  std::tuple<bool, bool, bool, int> heaviest{};
  for (auto& [group, state] : states) {
    const auto waits = [&records, &name = group](size_t i) { return waits_elsewhere(*records[i], name); };
    const bool all_wait = std::all_of(state.behind.begin(), state.behind.end(), waits);
    if (!all_wait) std::erase_if(state.behind, waits);
    const std::tuple weight(!state.different.empty(), !all_wait, !state.behind.empty(), state.size);
    if (weight > heaviest) heaviest = weight, most = std::move(state);
  }
  return most;
}

}  // namespace kml::pod
