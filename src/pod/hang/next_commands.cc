#include "pod/hang/next_commands.h"

#include <fmt/format.h>

#include <chrono>

namespace kml::pod {

std::vector<std::string> next_commands(const JobLook& look, const HangVerdict& verdict) {
  if (verdict.ranks.empty()) return {"kml logs " + look.job};
  const RankLook& rank = look.ranks[verdict.ranks[0]];
  std::vector<std::string> next;
  if (verdict.cause == HangCause::stopped)
    for (const Process& process : rank.processes)
      if (process.state == 'T' && next.empty())
        next.push_back(
            fmt::format("kml exec {}/{} -- sh -c 'kill -CONT {}'", look.job, rank.name(), process.pid));
  if (rank.runs && next.empty()) next.push_back("kml shell " + look.job + "/" + rank.name());
  if (!rank.rank) {
    next.push_back("kml logs " + look.job);
    return next;
  }
  const auto still = verdict.still_for.value_or(nanoseconds(0));
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(still).count() + 5;
  next.push_back(fmt::format("kml logs {} --rank {} --since {}m", look.job, *rank.rank, minutes));
  return next;
}

}  // namespace kml::pod
