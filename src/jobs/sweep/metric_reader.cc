#include "jobs/sweep/metric_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "kml/core/colours.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

constexpr std::string_view kCountSteps[] = {"step", "global_step", "epoch", "iteration", "iter"};

bool counts_steps(std::string_view name) {
  return std::find(std::begin(kCountSteps), std::end(kCountSteps), name) != std::end(kCountSteps);
}

/// How std::from_chars reads a number, which knows no plus; `end` is where it ends.
std::optional<double> number_at(std::string_view text, const char*& end) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [after, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  end = after;
  return failure == std::errc() ? std::optional(value) : std::nullopt;
}

/// "nan", "-Inf" and the like, but no longer word.
std::optional<double> not_finite_at(std::string_view text) {
  const char* end = nullptr;
  const std::optional<double> value = number_at(text, end);
  const bool is_longer =
      end != text.data() + text.size() && (std::isalnum(static_cast<unsigned char>(*end)) || *end == '_');
  return !value || std::isfinite(*value) || is_longer ? std::nullopt : value;
}

/// Group 2 of a match. Katib's own filter takes digits alone, and so nothing, or a sign, of "loss=nan".
std::optional<double> value_of(const std::vector<std::string_view>& match, std::string_view text) {
  if (match.size() < 3 || !match[2].data()) return {};
  const std::string_view number = trim(match[2]);
  const char* end = nullptr;
  if (const std::optional<double> value = number_at(number, end)) return value;
  return not_finite_at(text.substr(static_cast<size_t>(match[2].data() - text.data())));
}

}  // namespace

MetricReader::MetricReader(std::string resource, const std::vector<std::string>& filters,
                           const std::vector<std::string>& wanted)
    : resource_(std::move(resource)), wanted_(wanted.begin(), wanted.end()) {
  wanted_.insert(resource_);
  wanted_.insert(std::begin(kCountSteps), std::end(kCountSteps));
  std::vector<Pattern> patterns;
  for (const std::string& filter : filters) patterns.emplace_back(filter);
  filters_ = std::make_shared<const std::vector<Pattern>>(std::move(patterns));
}

/// Group 1 of each match is the name, group 2 the value, both without blanks around them, as in Katib
/// (pkg/metricscollector/v1beta1/file-metricscollector).
std::vector<std::pair<std::string, double>> MetricReader::filtered(std::string_view line) const {
  std::vector<std::pair<std::string, double>> metrics;
  const std::string text = without_colours(line);
  for (const Pattern& filter : *filters_)
    for (size_t at = 0; at <= text.size();) {
      const std::vector<std::string_view> match = filter.find_groups(text, at);
      if (match.empty()) break;
      if (const std::optional<double> value = value_of(match, text))
        metrics.emplace_back(trim(match[1]), *value);
      at = static_cast<size_t>(match[0].data() - text.data()) + std::max<size_t>(match[0].size(), 1);
    }
  return metrics;
}

std::vector<ReportedMetric> MetricReader::read(std::string_view line) {
  const auto metrics = filters_->empty() ? metrics_in(line, true, wanted_) : filtered(line);
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
