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
    keep(metric.first, {.value = metric.second,
                        .time = std::chrono::floor<std::chrono::milliseconds>(time),
                        .line = line,
                        .is_step = &metric == counter,
                        .epoch = whole_of(epoch),
                        .step = whole_of(step),
                        .last_epoch = last_epoch,
                        .last_step = last_step});
}

void MetricCollector::Log::keep(const std::string& name, Value value) {
  constexpr size_t kMostNames = 10'000, kMostLater = 100'000;
  const bool is_late = line > PrintedArguments::kMostLines;
  if (is_late && values.size() >= kMostNames && !values.contains(name)) return;
  std::vector<Value>& kept = values[name];
  value.index = kept.size();
  if (!is_late) return kept.push_back(value);
  Later& rest = later.try_emplace(name, Later{.begin = kept.size()}).first->second;
  value.index = rest.begin + rest.count++;
  rest.see(value);
  if ((value.index - rest.begin) % rest.stride == 0) kept.push_back(value);
  if (kept.size() - rest.begin < kMostLater) return;
  rest.stride *= 2;
  std::erase_if(kept, [&](const Value& one) {
    return one.index >= rest.begin && (one.index - rest.begin) % rest.stride != 0;
  });
}

void MetricCollector::Log::Later::see(const Value& value) {
  const auto keep_if = [&value](std::optional<Value>& place, bool is_better) {
    if (!place || is_better) place = value;
  };
  const auto named = [](long long before, std::optional<long long> own) { return own.value_or(before); };
  if (!std::isnan(value.value)) {
    keep_if(smallest, smallest && value.value < smallest->value);
    keep_if(greatest, greatest && value.value > greatest->value);
  }
  keep_if(of_epoch,
          of_epoch && named(value.last_epoch, value.epoch) >= named(of_epoch->last_epoch, of_epoch->epoch));
  keep_if(of_step, of_step && named(value.last_step, value.step) >= named(of_step->last_step, of_step->step));
  last = value;
}

std::vector<MetricCollector::Log::Value> MetricCollector::Log::Later::extremes() const {
  std::vector<Value> all;
  for (const auto* one : {&smallest, &greatest, &of_epoch, &of_step, &last})
    if (*one) all.push_back(**one);
  return all;
}

void MetricCollector::Log::restore_extremes() {
  const auto is_before = [](const Value& a, const Value& b) { return a.index < b.index; };
  const auto is_same = [](const Value& a, const Value& b) { return a.index == b.index; };
  for (const auto& [name, rest] : later) {
    std::vector<Value>& kept = values[name];
    for (const Value& one : rest.extremes()) kept.push_back(one);
    std::stable_sort(kept.begin(), kept.end(), is_before);
    kept.erase(std::unique(kept.begin(), kept.end(), is_same), kept.end());
  }
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
    steps.push_back(is_numbered    ? static_cast<long long>(one.index)
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
  log_->restore_extremes();
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
    if (const auto rest = log_->later.find(name); rest != log_->later.end()) {
      const auto kept_later = std::count_if(values.begin(), values.end(),
                                            [&](const auto& one) { return one.index >= rest->second.begin; });
      totals[name].count += static_cast<long long>(rest->second.count) - kept_later;
    }
    if (!course.empty()) courses[name] = std::move(course);
  }
  log_.reset();
}

}  // namespace kml::tracking
