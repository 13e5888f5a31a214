#include "sweep/journal/wave.h"

#include "kml/core/error.h"

namespace kml::sweep {

namespace {

constexpr std::uint64_t kMost = 1'000'000;  // no journal of kml has as many; a damaged one might

}  // namespace

std::string index_name(const std::string& job, size_t index) {
  return job + "-" + std::to_string(index);
}

Json ranges_of(const std::vector<std::uint64_t>& trials) {
  Json ranges = Json::array();
  for (const std::uint64_t trial : trials)
    if (!ranges.empty() && ranges.back()[1] == trial - 1)
      ranges.back()[1] = trial;
    else
      ranges.push_back({trial, trial});
  return ranges;
}

Wave wave_of(const Json& record) {
  Wave wave{string_at(record, {"job"}), {}};
  for (const Json& range : array_at(record, {"trials"})) {
    const bool is_whole = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                          range[1].is_number_unsigned() && range[1] < kMost;
    if (!is_whole) throw Error(ErrorCode::failure, "the journal is damaged", "no trials: " + range.dump());
    for (std::uint64_t trial = range[0]; trial <= range[1].get<std::uint64_t>(); ++trial)
      wave.trials.push_back(trial);
    if (wave.trials.size() > kMost)
      throw Error(ErrorCode::failure, "the journal is damaged", "more than a million trials are one job");
  }
  return wave;
}

}  // namespace kml::sweep
