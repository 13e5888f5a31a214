#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kml::job {

using MetricNames = std::set<std::string, std::less<>>;

/// Names that programs use for their step counter. An epoch has many steps.
inline constexpr std::array<std::string_view, 5> kStepNames = {"step", "global_step", "iteration", "iter",
                                                               "epoch"};
inline bool counts_steps(std::string_view name) {
  return std::find(kStepNames.begin(), kStepNames.end(), name) != kStepNames.end();
}

/// The named numbers in a log line, in order; most lines have none. Returns at most 32 metrics, and none for
/// a line longer than 4 KiB (with `wanted`, 32 KiB). A name has at most 32 printable characters, and its
/// letters may be of any script.
/// - In a JSON object, the metrics are its members, with "a.b" for members of nested objects. Words
///   before the object are read like another line.
/// - In other lines, metrics have forms such as "loss=0.12", "acc: 0.9", "acc = 90%", "{'acc': 0.9}",
///   "acc: np.float64(0.9)" and "loss=tensor(0.5, device='cuda:0')". "Accuracy at step 10: 0.95" contains two
///   metrics: step and Accuracy.
/// - "valid_0's auc: 0.9" is a metric with that whole name, not "auc". "val loss: 0.5" is a metric named
///   "val_loss".
/// - "12,345" is not a metric, because it may be twelve thousand or a list. The percentage of a progress bar
///   is not a metric, either.
///
/// If `all` is set, also returns NaN and infinities: "loss=nan", and their forms in Python's JSON. Also
/// returns every metric in `wanted`, whose names can have any characters: "val loss: 0.5". In JSON, the
/// values of these metrics may be strings, as in Katib: {"loss": "0.5"}.
std::vector<std::pair<std::string, double>> metrics_in(std::string_view line, bool all = false,
                                                       const MetricNames& wanted = {});

}  // namespace kml::job
