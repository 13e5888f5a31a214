#include "engine/watching/metric_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kml/base/clean.h"
#include "kml/base/real_number.h"
#include "kml/base/text.h"
#include "kml/engine/watching/event_mark.h"

namespace kml::engine {

namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Reads "nan", "-Inf" and similar words, but not a longer word that starts with one of them.
std::optional<double> not_finite_at(std::string_view text) {
  const char* end = nullptr;
  const std::optional<double> value = real_number_at(text, end);
  const bool is_longer = end != text.data() + text.size() && is_word_character(*end);
  return !value || std::isfinite(*value) || is_longer ? std::nullopt : value;
}

/// The number in group 2 of a match. Katib's default filter only matches digits, so in "loss=nan" group 2 is
/// empty or only a sign.
std::optional<double> value_of(const std::vector<std::string_view>& match, std::string_view text) {
  if (match.size() < 3 || !match[2].data()) return {};
  const std::string_view number = trim(match[2]);
  const char* end = nullptr;
  if (const std::optional<double> value = real_number_at(number, end)) return value;
  return not_finite_at(text.substr(static_cast<size_t>(match[2].data() - text.data())));
}

}  // namespace

MetricReader::MetricReader(std::string resource, const std::vector<std::string>& filters,
                           const std::vector<std::string>& wanted, bool reads_events)
    : resource_(std::move(resource)),
      asked_(wanted.begin(), wanted.end()),
      wanted_(asked_),
      reads_events_(reads_events) {
  wanted_.insert(resource_);
  wanted_.insert(job::kStepNames.begin(), job::kStepNames.end());
  std::vector<Pattern> patterns;
  for (const std::string& filter : filters) patterns.emplace_back(filter);
  filters_ = std::make_shared<const std::vector<Pattern>>(std::move(patterns));
}

/// The matches of the filters. In each match, group 1 is the name and group 2 the value; both are trimmed, as
/// in Katib (pkg/metricscollector/v1beta1/file-metricscollector).
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

/// The step after a word that counts steps: "Epoch 3/10", "Epoch [3/10]", "Epoch 3:", or "Epoch 3" at the
/// start of a line. "since epoch 3" and "per epoch 35.2 s" do not name the current step.
std::optional<double> MetricReader::step_in_words(std::string_view line) const {
  if (resource_.empty()) return {};
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  for (auto from = line.begin();; ++from) {
    from = std::search(from, line.end(), resource_.begin(), resource_.end(), same);
    if (from == line.end()) return {};
    const std::string_view before(line.begin(), from);
    const bool is_first = before.find_first_not_of(" \t") == std::string_view::npos;
    const bool is_word = before.empty() || !is_word_character(before.back());
    std::string_view rest(from + static_cast<std::ptrdiff_t>(resource_.size()), line.end());
    const std::string_view number = rest.substr(std::min(rest.find_first_not_of(" [("), rest.size()));
    if (!is_word || number.size() == rest.size()) continue;
    const char* end = nullptr;
    const std::optional<double> step = real_number_at(number, end);
    const char next = end == number.data() + number.size() ? ' ' : *end;
    const bool ends =
        std::string_view("/:])|,").find(next) != std::string_view::npos || (is_first && next == ' ');
    if (step && ends && *step == std::floor(*step)) return step;
  }
}

MetricReader::Shown MetricReader::shown_by(std::string_view line) {
  const bool is_filtered = !filters_->empty();
  Shown shown{is_filtered ? filtered(line) : job::metrics_in(line, true, wanted_)};
  const auto named = [&](const auto& metric) {
    return metric.first == resource_ && std::isfinite(metric.second);
  };
  const auto usual = [](const auto& metric) {
    return job::counts_steps(metric.first) && std::isfinite(metric.second);
  };
  auto& metrics = shown.metrics;
  shown.place = places_.of(metrics);
  auto found = std::find_if(metrics.begin(), metrics.end(), named);
  shown.is_resource = found != metrics.end();
  if (!shown.is_resource && !is_filtered) shown.step = step_in_words(without_colours(line));
  if (shown.step) {
    shown.is_resource = true;
    return shown;
  }
  if (!shown.is_resource) found = std::find_if(metrics.begin(), metrics.end(), usual);
  if (found == metrics.end()) return shown;
  shown.step = found->second;
  if (!asked_.contains(found->first)) metrics.erase(found);
  return shown;
}

/// The part of an event file may follow text that the program did not end with a newline.
std::vector<ReportedMetric> MetricReader::read_events(std::string_view line) {
  std::vector<ReportedMetric> reported;
  const size_t mark = line.find(kEventMark);
  if (mark == std::string_view::npos) return reported;
  line.remove_prefix(mark + kEventMark.size());
  const size_t end = std::min(line.find(' '), line.size());
  const std::optional<std::string> bytes = base64_decoded(line.substr(0, end));
  if (!bytes) return reported;
  const std::string file(trim(line.substr(end)));
  for (const EventScalar& scalar : files_[file].add(*bytes)) {
    const std::string name = name_of(scalar.tag, file);
    const Shown shown{.step = scalar.step, .is_resource = true};
    reported.push_back({name, scalar.value, scalar.step, falls_behind(name, shown)});
  }
  return reported;
}

std::string MetricReader::name_of(const std::string& tag, std::string_view file) const {
  if (wanted_.contains(tag)) return tag;
  const std::string_view folder = file.substr(0, std::min(file.rfind('/'), file.size()));
  for (const std::string& metric : wanted_) {
    const size_t slash = metric.rfind('/');
    if (slash != std::string::npos && tag == metric.substr(slash + 1) &&
        folder.ends_with(metric.substr(0, slash)))
      return metric;
  }
  return tag;
}

std::vector<ReportedMetric> MetricReader::read(std::string_view line, bool is_open) {
  if (reads_events_) return read_events(line);
  Shown shown = shown_by(line);
  std::vector<ReportedMetric> reported;
  if (shown.step || !shown.metrics.empty()) {
    if (shown.step != open_.step) tell_open(reported);
    for (const auto& [name, value] : open_.metrics)
      if (std::none_of(shown.metrics.begin(), shown.metrics.end(),
                       [&name = name](const auto& metric) { return metric.first == name; }))
        shown.metrics.emplace_back(name, value);
    open_ = std::move(shown);
  }
  if (!is_open) tell_open(reported);
  return reported;
}

void MetricReader::tell_open(std::vector<ReportedMetric>& reported) {
  const Shown shown = std::exchange(open_, {});
  for (const auto& [name, value] : shown.metrics) {
    reported.push_back(
        {name, value, shown.step ? *shown.step : step_untold(name), falls_behind(name, shown)});
    if (shown.step) last_[name] = {*shown.step, shown.step};
  }
  if (!shown.step) return;
  if (shown.is_resource || !is_resource_told_) told_ = shown.step;
  is_resource_told_ = is_resource_told_ || shown.is_resource;
}

/// Whether the line's step is before that of an earlier line. Only compares steps that lines name, because
/// steps from step_untold() are estimates.
bool MetricReader::falls_behind(const std::string& name, const Shown& shown) {
  Reached& reached = reached_[name];
  const bool is_earlier = shown.is_resource ? reached.resource && *shown.step < *reached.resource
                                            : shown.place && reached.place && *shown.place < *reached.place;
  if (is_earlier) return true;
  if (shown.is_resource) reached.resource = shown.step;
  if (shown.place) reached.place = shown.place;
  return false;
}

/// The step for a value on a line that names no step: the last reported step. If the metric already has k
/// values at that step, the step is 1 - 1/(k+1) of the way to the next whole number. It must not reach that
/// number, because a sweep would then judge the value at a rung too early.
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

}  // namespace kml::engine
