#include "pod/hang/ras_answer.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::pod {

namespace {

RasRank member_of(const Json& json) {
  RasRank rank{.rank = static_cast<int>(int_at(json, {"rank"}, -1)),
               .host = string_at(json, {"host"}),
               .pid = static_cast<int>(int_at(json, {"pid"}))};
  for (const auto& [operation, count] : object_at(json, {"collective_counts"}).items())
    if (count.is_number_integer()) rank.counts[operation] = count.get<long long>();
  return rank;
}

RasRank missing_of(const Json& json) {
  RasRank rank = member_of(json);
  rank.state = bool_at(json, {"status", "considered_dead"}) ? RasRank::State::dead
               : bool_at(json, {"status", "unresponsive"})  ? RasRank::State::unresponsive
                                                            : RasRank::State::missing;
  return rank;
}

RasAnswer parse_ras_json(std::string_view text) {
  const Json json = parse_json(text, "the answer of NCCL's RAS");
  RasAnswer answer{.version = string_at(json, {"nccl_version"})};
  for (const Json& one : array_at(json, {"communicators"})) {
    // A single hash is not unique: several communicators may share one of the two.
    RasCommunicator communicator{.id = string_at(one, {"hash"}) + " " + string_at(one, {"secondary_hash"}),
                                 .size = static_cast<int>(int_at(one, {"size"}))};
    for (const Json& rank : array_at(one, {"ranks"})) communicator.ranks.push_back(member_of(rank));
    for (const Json& rank : array_at(one, {"missing_ranks"})) communicator.ranks.push_back(missing_of(rank));
    std::sort(communicator.ranks.begin(), communicator.ranks.end(),
              [](const RasRank& a, const RasRank& b) { return a.rank < b.rank; });
    answer.communicators.push_back(std::move(communicator));
  }
  return answer;
}

}  // namespace

std::string ras_request() {
  return "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\nVERBOSE STATUS\n";
}

RasAnswer parse_ras(std::string_view received) {
  if (!received.starts_with(kRasGreeting))
    throw Error(ErrorCode::failure, "port 28028 does not belong to NCCL's RAS");
  // Before NCCL 2.28.7, the third line is "ERROR: Unknown command SET FORMAT json", and the status is text.
  for (int line = 0; line < 3; ++line) {
    const size_t end = received.find('\n');
    if (end == std::string_view::npos) throw Error(ErrorCode::failure, "NCCL's RAS sent no status");
    received.remove_prefix(end + 1);
  }
  if (trim(received).empty()) throw Error(ErrorCode::failure, "NCCL's RAS sent no status");
  return trim(received).starts_with("{") ? parse_ras_json(received) : parse_ras_text(received);
}

}  // namespace kml::pod
