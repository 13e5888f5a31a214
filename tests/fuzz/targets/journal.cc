// A sweep's journal, as a crash, a full disk or an editor may have left it: its records give a state and a
// timeline, and are replayed.
#include "fuzz/input.h"
#include "kml/base/text.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/timeline.h"
#include "sweep/engine/replay.h"

using namespace kml;

namespace {

/// A sweep whose trials are cheap to propose. The input has the records after this one.
sweep::Record first_record() {
  return {
      {},
      sweep::record::Sweep{"id",
                           {{"apiVersion", "kml.dev/v1"},
                            {"kind", "Sweep"},
                            {"metadata", {{"name", "s"}}},
                            {"spec",
                             {{"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}}},
                              {"algorithm", {{"algorithmName", "random"}}},
                              {"maxTrialCount", 8},
                              {"parameters", Json::array({{{"name", "x"},
                                                           {"parameterType", "double"},
                                                           {"feasibleSpace", {{"min", 0}, {"max", 1}}}},
                                                          {{"name", "o"},
                                                           {"parameterType", "categorical"},
                                                           {"feasibleSpace", {{"list", {"a", "b"}}}}}})},
                              {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", "{args}"}}}}}}}},
                           {}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<sweep::Record> records = {first_record()};
  fuzz::refuse_or([&] {
    for (const std::string& line : split(std::string(fuzz::text_of(data, size)), '\n'))
      if (!line.empty()) records.push_back(sweep::record_from_json(parse_json(line, "journal")));
    sweep::SweepState state;
    sweep::Timeline timeline;
    for (const sweep::Record& record : records) {
      state.apply(record);
      timeline.apply(record);
    }
    for (const std::uint64_t number : state.lists().ended) fuzz::require(number < state.trials().size());
    if (state.best()) fuzz::require(state.trials()[*state.best()].value.has_value());
    fuzz::require(state.sessions().wall_time(state.sessions().last) >= nanoseconds{0});
    sweep::replay(records);
  });
  return 0;
}
