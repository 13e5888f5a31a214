#include "jobs/sweep/metric_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "kml/core/colours.h"

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
std::optional<double> value_of(const std::smatch& match, std::string_view text) {
  if (match.size() < 3 || !match[2].matched) return {};
  const std::string_view number(match[2].first, match[2].second);
  const char* end = nullptr;
  if (const std::optional<double> value = number_at(number, end)) return value;
  return not_finite_at(text.substr(static_cast<size_t>(number.data() - text.data())));
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
    for (std::sregex_iterator match(text.begin(), text.end(), filter), end; match != end; ++match)
      if (const std::optional<double> value = value_of(*match, text))
        metrics.emplace_back((*match)[1], *value);
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
