#include "jobs/sweep/metric_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kml/core/colours.h"
#include "kml/jobs/metric_line.h"

namespace kml::jobs {

namespace {

constexpr size_t kLongestLine = 4096;  // std::regex recurses

bool counts_steps(std::string_view name) {
  constexpr std::string_view kNames[] = {"step", "global_step", "epoch", "iteration", "iter"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::regex compiled(const std::string& expression) {
  try {
    return std::regex(expression);
  } catch (const std::regex_error& error) {
    throw usage_error("the filter \"" + expression + "\" is no regular expression", error.what());
  }
}

}  // namespace

MetricReader::MetricReader(std::string resource, const std::vector<std::string>& filters,
                           const std::vector<std::string>& wanted)
    : resource_(std::move(resource)), wanted_(wanted.begin(), wanted.end()) {
  wanted_.insert(resource_);
  for (const std::string& filter : filters) filters_.push_back(compiled(filter));
}

/// Group 1 of each match is the name, group 2 the value, as in Katib.
std::vector<std::pair<std::string, double>> MetricReader::filtered(std::string_view line) const {
  std::vector<std::pair<std::string, double>> metrics;
  if (line.size() > kLongestLine) return metrics;
  const std::string text = without_colours(line);
  for (const std::regex& filter : filters_)
    for (std::sregex_iterator match(text.begin(), text.end(), filter), end; match != end; ++match) {
      const std::string name = (*match)[1], number = match->size() > 2 ? (*match)[2].str() : "";
      double value = 0;
      const char* from = number.data() + (number.starts_with('+') ? 1 : 0);
      if (!number.empty() && std::from_chars(from, number.data() + number.size(), value).ec == std::errc())
        metrics.emplace_back(name, value);
    }
  return metrics;
}

std::vector<ReportedMetric> MetricReader::read(std::string_view line) {
  const auto metrics = filters_.empty() ? metrics_in(line, true, wanted_) : filtered(line);
  const auto named = [&](const auto& metric) {
    return metric.first == resource_ && std::isfinite(metric.second);
  };
  const auto usual = [](const auto& metric) {
    return counts_steps(metric.first) && std::isfinite(metric.second);
  };
  auto step = std::find_if(metrics.begin(), metrics.end(), named);
  if (step == metrics.end()) step = std::find_if(metrics.begin(), metrics.end(), usual);
  std::vector<ReportedMetric> reported;
  for (auto metric = metrics.begin(); metric != metrics.end(); ++metric)
    if (metric != step)
      reported.push_back(
          {metric->first, metric->second, step != metrics.end() ? step->second : step_untold(metric->first)});
  if (step == metrics.end()) return reported;
  for (const ReportedMetric& metric : reported) last_[metric.name] = metric.step;
  if (step->first == resource_ || !is_resource_told_) told_ = step->second;
  is_resource_told_ = is_resource_told_ || step->first == resource_;
  return reported;
}

/// Of a value on a line that has none: the step told last, or where the metric has a value there, one between
/// that and the next whole number. Were it the next, a trial would be judged at a rung before it is there.
double MetricReader::step_untold(const std::string& name) {
  if (!told_) return ++last_[name];
  const auto before = last_.find(name);
  const double next = std::floor(*told_) + 1;
  const bool is_there = before != last_.end() && before->second >= *told_ && before->second < next;
  return last_[name] = is_there ? before->second + (next - before->second) / 2 : *told_;
}

}  // namespace kml::jobs
