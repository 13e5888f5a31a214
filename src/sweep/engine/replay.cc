#include "sweep/engine/replay.h"

#include <memory>

#include "sweep/engine/proposals.h"

namespace kml::sweep {

Replay replay(const std::vector<Record>& records) {
  Replay result;
  SweepState state;
  std::unique_ptr<Proposals> proposals;
  for (const Record& record : records) {
    if (std::holds_alternative<record::Session>(record.what))
      proposals.reset();  // each engine has separate proposals, and its own spec
    if (const auto* asked = std::get_if<record::Asked>(&record.what)) {
      if (!proposals) proposals = std::make_unique<Proposals>(state);
      ++result.proposals;
      const auto proposal = proposals->next();
      const Json proposed = proposal ? state.space().assignment(proposal->point) : Json();
      const bool is_of_others = proposal && proposal->lineage != asked->lineage;
      if (is_of_others)
        result.differences.push_back("trial " + std::to_string(asked->trial) +
                                     " continued a different trial than the one that is proposed now");
      else if (proposed != asked->values)
        result.differences.push_back("trial " + std::to_string(asked->trial) + ": " + asked->values.dump() +
                                     " was tried, " + proposed.dump() + " is proposed now");
    }
    state.apply(record);
  }
  return result;
}

}  // namespace kml::sweep
