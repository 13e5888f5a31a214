#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kml::jobs {

using MetricNames = std::set<std::string, std::less<>>;

/// Names by which programs count how far they are. An epoch is many steps.
inline constexpr std::array<std::string_view, 5> kStepNames = {"step", "global_step", "iteration", "iter",
                                                               "epoch"};
inline bool counts_steps(std::string_view name) {
  return std::find(kStepNames.begin(), kStepNames.end(), name) != kStepNames.end();
}

/// The numbers with names in a line of a log, in their order: of a JSON object its members, with "a.b" for
/// those of an object in it; else "loss=0.12", "acc: 0.9", "acc = 90%", "{'acc': 0.9}", "acc:
/// np.float64(0.9)", "loss=tensor(0.5, device='cuda:0')", and of "Accuracy at step 10: 0.95" step and
/// Accuracy. Colours, and words before a JSON object, do not matter. Empty for most lines. "12,345" is no
/// number: it may be twelve thousand, or a list. NaN and infinities are left out, unless `all` asks for them:
/// "loss=nan", and what Python's json makes of them. "valid_0's auc: 0.9" is a metric of that name, not
/// "auc". Of a line the first 32 metrics are told, with names of at most 32 printable characters, and those
/// of `wanted` wherever they stand, with any characters: "val loss: 0.5"; in JSON also where they are texts,
/// as Katib wants them: {"loss": "0.5"}.
std::vector<std::pair<std::string, double>> metrics_in(std::string_view line, bool all = false,
                                                       const MetricNames& wanted = {});

}  // namespace kml::jobs
