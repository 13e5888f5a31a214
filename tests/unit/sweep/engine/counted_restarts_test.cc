#include <doctest/doctest.h>

#include "sweep/tested_sweep.h"

namespace kml::sweep::counted_restarts_test {

TEST_CASE("sweep: if restarts are counted, a trial has no more jobs than its retries allow") {
  struct Row {
    const char* what;
    bool is_disrupted, loses_lines, is_gone;
  };
  for (const Row& row : {Row{"preempted", true, false, false}, Row{"its log is lost", false, true, false},
                         Row{"its job was deleted", false, false, true}, Row{"fails", false, false, false}}) {
    CAPTURE(row.what);
    for (const int retries : {0, 2}) {
      Sweep sweep(document_of({{"maxTrialCount", 1}, {"retry", {{"failures", retries}}}}));
      sweep.server.script = [&](const TrialJob& job) {
        TrialReport end = end_of(job, row.loses_lines);
        end.is_disrupted = row.is_disrupted;
        end.lost_lines = row.loses_lines;
        if (row.is_gone) end.kind = TrialReport::Kind::gone;
        return std::vector{report_of(job, TrialReport::Kind::running), end};
      };
      const SweepState state = sweep.run(system_clock(), {.counts_restarts = true});
      CHECK(sweep.server.made.size() == static_cast<size_t>(1 + retries));
      CHECK(state.trials()[0].outcome != Outcome::complete);
      CHECK(state.trials()[0].has_ended());
    }
  }
}

}  // namespace kml::sweep::counted_restarts_test
