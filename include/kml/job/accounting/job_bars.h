#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/accounting/gpu_time.h"

namespace kml::job {

/// The state of a job, or of a pod's place in it, during a time.
enum class BarKind {
  queued,  ///< waits for its first pod, or for the next one after a pod that failed or succeeded
  running,
  lost,       ///< runs, but will repeat these steps later
  failed,     ///< runs, and will fail
  preempted,  ///< waits for its next pod after a preemption or an eviction
  suspended,
  unknown,  ///< waits, but no source shows whether all its pods waited
};
inline constexpr size_t kBarKinds = 7;

/// The name as in `-o json`, such as "queued".
std::string_view name_of(BarKind kind);

struct Bar {
  Time start = {}, end = {};
  BarKind kind = BarKind::queued;
  std::string cause = {};  ///< why the pod ended, or "Running"; empty while no pod ran
};

struct BarRow {
  std::string name;
  std::vector<Bar> bars;  ///< the bars in order, without gaps between them
};

/// The job as a single row, which shows the job as running if any of its pods is running.
BarRow row_of(const JobAccount& account, Time now);

/// A row for each place of a pod in the job, in natural order.
std::vector<BarRow> rows_of(const JobAccount& account, Time now);

}  // namespace kml::job
