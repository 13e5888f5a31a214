#include "tracking/runs/logged_metrics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "kml/job/logs/metric_line.h"
#include "tracking/runs/argument_names.h"

namespace kml::tracking {

namespace {

constexpr std::string_view kEpoch = "epoch";

/// Whether the metric can be a step. MLflow and plots need a number of at most 2^53, up to which doubles are
/// exact.
bool is_step(const std::pair<std::string, double>& metric) {
  constexpr double kMost = 9007199254740992.0;
  return job::counts_steps(metric.first) && std::abs(metric.second) <= kMost;
}

std::optional<long long> whole_of(const std::pair<std::string, double>* metric) {
  return metric ? std::optional(static_cast<long long>(metric->second)) : std::nullopt;
}

}  // namespace

const MetricPoint& latest_of(const std::vector<MetricPoint>& course) {
  const auto is_earlier = [](const MetricPoint& a, const MetricPoint& b) {
    return std::tie(a.step, a.time, a.value) < std::tie(b.step, b.time, b.value);
  };
  return *std::max_element(course.begin(), course.end(), is_earlier);
}

job::Metric summary_of(const std::vector<MetricPoint>& course) {
  job::Metric summary{latest_of(course).value, std::nan(""), std::nan(""), 0};
  for (const MetricPoint& point : course) {
    summary.min = std::fmin(summary.min, point.value);
    summary.max = std::fmax(summary.max, point.value);
    ++summary.count;
  }
  return summary;
}

void MetricCollector::Log::read(std::string_view text, Time time) {
  const auto metrics = job::metrics_in(text, true);
  arguments.read(text, ++line, metrics);
  const std::pair<std::string, double>*epoch = nullptr, *step = nullptr;
  for (const auto& metric : metrics)
    if (auto*& place = metric.first == kEpoch ? epoch : step; !place && is_step(metric)) place = &metric;
  if (epoch) last_epoch = *whole_of(epoch);
  if (step) {
    restarts = restarts || (last_epoch > epoch_of_step && *whole_of(step) < last_step);
    last_step = *whole_of(step);
    epoch_of_step = last_epoch;
  }
  const auto* counter = step ? step : epoch;
  for (const auto& metric : metrics)
    values[metric.first].push_back({metric.second, std::chrono::floor<std::chrono::milliseconds>(time), line,
                                    &metric == counter, whole_of(epoch), whole_of(step), last_epoch,
                                    last_step});
}

void MetricCollector::Log::leave_out_arguments() {
  const auto is_in = [](const Value& value, PrintedArguments::Lines lines) {
    return value.line >= lines.first && value.line <= lines.last;
  };
  std::map<std::string, std::vector<Value>> metrics = values;
  const PrintedArguments::Members printed = arguments.each_printed(
      [&](const std::string& name, double value, PrintedArguments::Lines lines) {
        const auto all = values.find(name);
        return all != values.end() &&
               std::any_of(all->second.begin(), all->second.end(), [&](const Value& one) {
                 return !is_in(one, lines) && !is_same_number(one.value, value);
               });
      },
      [&](const std::string& name, PrintedArguments::Lines lines) {
        std::erase_if(metrics[name], [&](const Value& value) { return is_in(value, lines); });
      });
  std::erase_if(metrics, [&](const auto& metric) {
    const auto& [name, all] = metric;
    return std::all_of(all.begin(), all.end(), [&, &name = name](const Value& one) {
      return arguments.is_argument(name, one.value) ||
             std::any_of(printed.begin(), printed.end(), [&](const auto& argument) {
               return argument.first == name && is_same_number(argument.second, one.value);
             });
    });
  });
  values = std::move(metrics);
}

std::vector<long long> MetricCollector::Log::steps_of(const std::vector<Value>& course) const {
  const auto has_step = [](const Value& one) { return one.step.has_value(); };
  const auto has_any = [](const Value& one) { return one.step || one.epoch; };
  const bool is_numbered = std::none_of(course.begin(), course.end(), has_any);
  const bool by_epoch = restarts || std::none_of(course.begin(), course.end(), has_step);
  std::vector<long long> steps;
  std::optional<long long> greatest;
  for (const Value& one : course) {
    const long long named = by_epoch ? one.epoch.value_or(one.last_epoch) : one.step.value_or(one.last_step);
    if (has_any(one)) greatest = std::max(named, greatest.value_or(named));
    steps.push_back(is_numbered    ? static_cast<long long>(steps.size())
                    : has_any(one) ? named
                                   : greatest.value_or(0));
  }
  return steps;
}

MetricCollector::MetricCollector(std::map<std::string, Json> arguments)
    : log_(std::make_unique<Log>(std::move(arguments))) {}
MetricCollector::~MetricCollector() = default;
MetricCollector::MetricCollector(MetricCollector&&) noexcept = default;
MetricCollector& MetricCollector::operator=(MetricCollector&&) noexcept = default;

void MetricCollector::read(std::string_view line, Time time) {
  log_->read(line, time);
}

void MetricCollector::finish() {
  log_->leave_out_arguments();
  for (const auto& [name, values] : log_->values) {
    const std::vector<long long> steps = log_->steps_of(values);
    std::vector<MetricPoint> all, course;
    for (size_t i = 0; i < values.size(); ++i) {
      all.push_back({steps[i], values[i].value, values[i].time});
      // If several values at the same step were printed within a millisecond, keeps their order.
      if (i > 0 && steps[i] == steps[i - 1])
        all[i].time = std::max(all[i].time, all[i - 1].time + std::chrono::milliseconds(1));
      if (!values[i].is_step) course.push_back(all[i]);
    }
    totals[name] = summary_of(all);
    if (!course.empty()) courses[name] = std::move(course);
  }
  log_.reset();
}

}  // namespace kml::tracking
