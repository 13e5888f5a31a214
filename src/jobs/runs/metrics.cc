// The metrics of an ended job, from its logs.

#include <algorithm>

#include "kml/jobs/logs/logs.h"
#include "kml/jobs/logs/metric_line.h"
#include "kml/jobs/runs/tracked_run.h"

namespace kml::jobs {

namespace {

class MetricSink : public LogSink {
 public:
  void lines(std::span<const LogLine> lines) override {
    for (const LogLine& line : lines) {
      if (!line.begins || !line.ends || !line.source->is_main || line.source->rank.value_or(0) != 0) continue;
      for (const auto& [name, value] : metrics_in(after_carriage_returns(line.text))) add(name, value);
    }
  }
  void event(const LogEvent&) override {}

  RunMetrics found;

 private:
  void add(const std::string& name, double value) {
    const auto [place, is_new] = found.emplace(name, Metric{value, value, value, 0});
    Metric& metric = place->second;
    metric.last = value;
    metric.min = std::min(metric.min, value);
    metric.max = std::max(metric.max, value);
    ++metric.count;
  }
};

}  // namespace

RunMetrics metrics_of_job(kube::Client& client, const Json& job) {
  constexpr long long kMostLines = 100'000;
  LogSelection selection;
  selection.jobs = {job};
  selection.tail = kMostLines;
  MetricSink sink;
  read_logs(client, selection, sink);
  return sink.found;
}

}  // namespace kml::jobs
