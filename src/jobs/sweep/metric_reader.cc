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

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
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
  const bool is_longer = end != text.data() + text.size() && is_word_character(*end);
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

/// "Epoch 3/10", "Epoch [3/10]", "Epoch 3: 50%|": of the word that counts steps.
std::optional<double> MetricReader::step_in_words(std::string_view line) const {
  if (resource_.empty()) return {};
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  for (auto from = line.begin();; ++from) {
    from = std::search(from, line.end(), resource_.begin(), resource_.end(), same);
    if (from == line.end()) return {};
    const bool is_word = from == line.begin() || !is_word_character(*(from - 1));
    std::string_view rest(from + static_cast<std::ptrdiff_t>(resource_.size()), line.end());
    const std::string_view number = rest.substr(std::min(rest.find_first_not_of(" [("), rest.size()));
    if (!is_word || number.size() == rest.size()) continue;
    const char* end = nullptr;
    const std::optional<double> step = number_at(number, end);
    const bool ends = end == number.data() + number.size() || !is_word_character(*end);
    if (step && ends && std::isfinite(*step)) return step;
  }
}

/// What a line that is over has left untold.
void MetricReader::tell_shown(std::vector<ReportedMetric>& reported) {
  for (auto& [name, shown] : shown_)
    if (!std::exchange(shown.is_told, true)) {
      reported.push_back({name, shown.value, *shown_step_});
      last_[name] = {*shown_step_, shown_step_};
    }
}

std::vector<ReportedMetric> MetricReader::read(std::string_view line, bool is_redrawn) {
  const bool is_filtered = !filters_->empty();
  const auto metrics = is_filtered ? filtered(line) : metrics_in(line, true, wanted_);
  const auto named = [&](const auto& metric) {
    return metric.first == resource_ && std::isfinite(metric.second);
  };
  const auto usual = [](const auto& metric) {
    return counts_steps(metric.first) && std::isfinite(metric.second);
  };
  auto found = std::find_if(metrics.begin(), metrics.end(), named);
  bool is_resource = found != metrics.end();
  if (!is_resource) found = std::find_if(metrics.begin(), metrics.end(), usual);
  std::optional<double> step;
  if (found != metrics.end()) step = found->second;
  if (!is_resource && !is_filtered)
    if (const std::optional<double> said = step_in_words(without_colours(line))) {
      step = said;
      is_resource = true;
      found = metrics.end();
    }
  std::vector<ReportedMetric> reported;
  if (!is_redrawn || step != shown_step_) tell_shown(reported);
  ShownMetrics shown;
  for (auto metric = metrics.begin(); metric != metrics.end(); ++metric) {
    if (metric == found) continue;
    const auto& [name, value] = *metric;
    const auto before = is_redrawn ? shown_.find(name) : shown_.end();
    if (before != shown_.end() && is_same(before->second.value, value)) {
      shown[name] = {value, !step || (before->second.is_told && step == shown_step_)};
      continue;
    }
    reported.push_back({name, value, step ? *step : step_untold(name)});
    if (step) last_[name] = {*step, step};
    shown[name] = {value, true};
  }
  shown_ = std::move(shown);
  shown_step_ = step;
  if (!step) return reported;
  if (is_resource || !is_resource_told_) told_ = step;
  is_resource_told_ = is_resource_told_ || is_resource;
  return reported;
}

/// Of a value on a line that has none: the step told last, or where the metric has values there, the k-th of
/// them 1 - 1/(k+1) of the way to the next whole number. Were it the next, a trial would be judged at a rung
/// before it is there.
double MetricReader::step_untold(const std::string& name) {
  Last& last = last_[name];
  if (!told_) return ++last.step;
  const double next = std::floor(*told_) + 1;
  const bool is_there = last.step >= *told_ && last.step < next && last.told == told_;
  last.values = is_there ? last.values + 1 : 0;
  last.told = told_;
  const double part = 1 - 1 / (last.values + 1);
  return last.step = std::min(*told_ + part * (next - *told_), std::nextafter(next, *told_));
}

}  // namespace kml::jobs
