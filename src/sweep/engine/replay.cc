#include "kml/sweep/replay.h"

#include <memory>

#include "sweep/engine/proposals.h"

namespace kml::sweep {

Replay replay(const std::vector<Json>& records) {
  Replay result;
  SweepState state;
  std::unique_ptr<Proposals> proposals;
  for (const Json& record : records) {
    const std::string kind = string_at(record, {"record"});
    if (kind == "session") proposals.reset();  // each engine has its own, and its own spec
    if (kind == "asked") {
      if (!proposals) proposals = std::make_unique<Proposals>(state);
      ++result.proposals;
      const std::optional<Point> point = proposals->next();
      const Json proposed = point ? state.space().assignment(*point) : Json();
      if (proposed != record.at("values"))
        result.differences.push_back("trial " + std::to_string(int_at(record, {"trial"})) + ": " +
                                     record.at("values").dump() + " was tried, " + proposed.dump() +
                                     " is proposed now");
    }
    state.apply(record);
  }
  return result;
}

}  // namespace kml::sweep
