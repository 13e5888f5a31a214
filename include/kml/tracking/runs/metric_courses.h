#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/packages/locked.h"
#include "kml/job/records/records.h"
#include "kml/kube/client/client.h"

namespace kml::tracking {

/// A value of a metric. It may be NaN or infinite.
struct MetricPoint {
  long long step = 0;
  double value = 0;
  Time time = {};  ///< whole milliseconds
};

/// All values of each metric, in the order of the log.
using MetricCourses = std::map<std::string, std::vector<MetricPoint>>;

/// The courses of runs, in one file for each run. Each line has one value: "NAME <TAB> STEP <TAB> VALUE <TAB>
/// MS". The run records do not contain the courses, because every query reads all records.
class RunCourses {
 public:
  explicit RunCourses(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The courses of the current user.
  static RunCourses of_user();

  /// Replaces the run's courses. Does nothing if `courses` is empty.
  void write(const std::string& run_id, const MetricCourses& courses) const;
  /// The courses of a run; empty if nothing was recorded. Skips a line that is not a value.
  MetricCourses read(const std::string& run_id) const;

 private:
  std::filesystem::path file_of(const std::string& run_id) const;

  std::filesystem::path folder_;
};

/// A metric's latest point, chosen as MLflow does (mlflow/store/tracking/file_store.py, get_metric): the one
/// with the greatest step and time, and among equal ones, the greatest value. The course must not be empty.
const MetricPoint& latest_of(const std::vector<MetricPoint>& course);

/// The last value of a course, its extremes and the number of values.
job::Metric summary_of(const std::vector<MetricPoint>& course);

struct NestedLog {
  job::NestedRun run;
  MetricCourses courses;
};

/// Collects a job's metrics: those in the lines of its log, and those that it logged with MLflow.
class MetricCollector {
 public:
  /// The arguments of the job's command, by name. See PrintedArguments.
  explicit MetricCollector(std::map<std::string, Json> arguments = {});
  ~MetricCollector();
  MetricCollector(MetricCollector&&) noexcept;
  MetricCollector& operator=(MetricCollector&&) noexcept;

  void read(std::string_view line, Time time);
  /// Call this after the last line. Fills in `totals` and `courses`. Arguments that the program has printed
  /// are left out. The step of a value is
  ///
  /// - the step on its line (see kStepNames), or the epoch, if the steps start again in each epoch, or if the
  ///   metric's lines name only the epoch;
  /// - the metric's greatest step so far, if the value's line names none;
  /// - the value's number, from 0, if no line of the metric names one.
  ///
  /// The step counter itself has no course.
  void finish();

  job::RunMetrics totals = {};
  MetricCourses courses = {};
  std::map<std::string, std::string> params = {},
                                     tags = {};  ///< the parameters and tags that the job logged with MLflow
  std::string image_id = {};                     ///< see RunNotes
  packages::NamedEnvironment environment = {};   ///< see RunNotes
  std::map<std::string, std::string> of_nodes = {};  ///< see RunNotes
  /// the nested runs that the job logged with MLflow, or the tasks of an array
  std::vector<NestedLog> nested = {};

 private:
  struct Log;
  std::unique_ptr<Log> log_;
};

/// Reads the metrics in the logs of a job's first rank (or of all its pods if they have no order), and those
/// that the job wrote into the folder of mlflow_folder_variables(). The metrics in that folder take
/// precedence. The tasks of an array are different programs: if there are several, each of the first hundred
/// becomes a nested run, and the job itself has no metrics, not even from that folder. Reads the whole log.
/// If it has more than 100,000 lines, the courses may have fewer points. Throws Error if the logs cannot be
/// read, and Error (unreachable) if reading them takes longer than `limit`; 0 means no limit.
MetricCollector metrics_of_job(kube::Client& client, const Json& job,
                               std::chrono::milliseconds limit = std::chrono::milliseconds(0));

/// The metrics of an ended run as notes. Records nothing.
job::RunNotes notes_of(const MetricCollector& metrics);

/// Records the metrics of an ended run for the current user, and returns them as notes.
job::RunNotes record_metrics(const std::string& run_id, const MetricCollector& metrics);

/// The id under which the courses of a nested run are recorded.
std::string nested_id(const std::string& run_id, const job::NestedRun& nested);

}  // namespace kml::tracking
