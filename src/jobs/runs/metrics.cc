// The metrics of an ended job, from its logs.

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kml/api/container.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/error.h"
#include "kml/core/redrawn_line.h"
#include "kml/core/text.h"
#include "kml/jobs/logs/logs.h"
#include "kml/jobs/logs/metric_line.h"
#include "kml/jobs/runs/metric_courses.h"
#include "kml/jobs/runs/mlflow_folder.h"
#include "kml/jobs/views/find.h"

namespace kml::jobs {

namespace {

class MetricSink : public LogSink {
 public:
  void lines(std::span<const LogLine> lines) override {
    for (const LogLine& line : lines)
      if (line.begins && line.ends && line.source->is_main && line.source->rank.value_or(0) == 0)
        found.read(after_carriage_returns(line.text), line.time);
  }
  void event(const LogEvent&) override {}

  MetricCollector found;
};

void add_to_totals(RunMetrics& totals, const std::string& name, double value) {
  const auto [place, is_new] = totals.emplace(name, Metric{value, value, value, 0});
  Metric& metric = place->second;
  metric.last = value;
  metric.min = std::min(metric.min, value);
  metric.max = std::max(metric.max, value);
  ++metric.count;
}

void take_log(MlflowLog log, MetricCollector& found) {
  for (auto& [name, course] : log.courses) {
    found.totals.erase(name);
    for (const MetricPoint& point : course)
      if (std::isfinite(point.value)) add_to_totals(found.totals, name, point.value);
    found.courses[name] = std::move(course);
  }
  found.params = std::move(log.params);
  found.tags = std::move(log.tags);
}

/// A step must be a number that MLflow and a plot can have: at most 2^53, up to which doubles are exact.
bool is_step(const std::pair<std::string, double>& metric) {
  constexpr double kMost = 9007199254740992.0;
  return counts_steps(metric.first) && std::abs(metric.second) <= kMost;
}

/// What the first containers of the pods ran: the same image in all, unless a tag was moved.
std::string image_ids_of(const std::vector<Json>& pods) {
  std::set<std::string> ids;
  for (const Json& pod : pods)
    if (const Json& containers = api::containers_of(pod); !containers.empty())
      if (const Json* status = api::find_container_status(pod, api::entry_name(containers[0])))
        if (std::string id = string_at(*status, {"imageID"}); !id.empty()) ids.insert(std::move(id));
  return join(std::vector<std::string>(ids.begin(), ids.end()), " ");
}

}  // namespace

void MetricCollector::read(std::string_view line, Time time) {
  const auto metrics = metrics_in(line, true);
  const auto step = std::find_if(metrics.begin(), metrics.end(), is_step);
  for (auto it = metrics.begin(); it != metrics.end(); ++it) {
    const auto& [name, value] = *it;
    if (std::isfinite(value)) add_to_totals(totals, name, value);
    if (it == step) continue;
    std::vector<MetricPoint>& course = courses[name];
    const long long next = course.empty() ? 0 : course.back().step + 1;
    course.push_back({step == metrics.end() ? next : static_cast<long long>(step->second), value,
                      std::chrono::floor<std::chrono::milliseconds>(time)});
  }
}

MetricCollector metrics_of_job(kube::Client& client, const Json& job, std::chrono::milliseconds limit) {
  constexpr long long kMostLines = 100'000;
  LogSelection selection;
  selection.jobs = {job};
  selection.tail = kMostLines;
  MetricSink sink;
  std::unique_ptr<http::Timer> timer;
  if (limit.count() > 0)
    timer = client.transport().after(limit, [] {
      throw Error(ErrorCode::unreachable, "the log could not be read in time",
                  "the node of its pod does not respond");
    });
  selection.pods = pods_of(client, job);
  sink.found.image_id = image_ids_of(*selection.pods);
  read_logs(client, selection, sink);
  if (const auto folder = mlflow_folder_of(job)) take_log(read_mlflow_folder(*folder), sink.found);
  return std::move(sink.found);
}

void record_metrics(const std::string& run_id, const MetricCollector& metrics) {
  RunCourses::of_user().write(run_id, metrics.courses);
  RunRecords::of_user().add_metrics(run_id, metrics.totals, metrics.params, metrics.tags, metrics.image_id);
}

}  // namespace kml::jobs
