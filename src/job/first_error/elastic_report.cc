#include "job/first_error/elastic_report.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "job/logs/rank_prefix.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

constexpr std::string_view kRootCause = "Root Cause (first observed failure):";

/// The number at the start of the text.
std::optional<int> leading_number(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() ? std::optional(value) : std::nullopt;
}

/// The value in a line such as " rank : 3 (local_rank: 3)"; empty if the line has a different key.
std::string_view value_of(std::string_view line, std::string_view key) {
  line = trim(line);
  if (!line.starts_with(key)) return {};
  line = trim(line.substr(key.size()));
  return line.starts_with(':') ? trim(line.substr(1)) : std::string_view();
}

/// Whether the line starts a rank's section: "[0]:".
bool is_item(std::string_view line) {
  line = trim(line);
  return line.size() >= 4 && line.starts_with('[') && line.ends_with("]:") &&
         leading_number(line.substr(1)).has_value();
}

/// As in Python, a negative code is a signal. An invalid code is treated as a plain failure.
void set_exit(ContainerExit& exit, int code) {
  const bool is_signal = -128 < code && code < 0;
  exit.signal = is_signal ? -code : 0;
  exit.code = is_signal ? 128 - code : code < 0 ? 1 : code;
}

}  // namespace

std::vector<ElasticFailure> elastic_failures(std::span<const TailLine> lines) {
  std::vector<ElasticFailure> failures;
  ElasticFailure* now = nullptr;
  bool is_report = false, is_root_cause = false;
  for (const TailLine& line : lines) {
    std::string_view text = line.text;
    if (trim(text) == "Failures:") {
      failures.clear();
      is_report = true;
      is_root_cause = false;
      now = nullptr;
    }
    if (trim(text) == kRootCause) is_report = is_root_cause = true;
    if (!is_report) continue;
    if (is_item(text)) {
      failures.emplace_back().is_root_cause = is_root_cause;
      now = &failures.back();
      now->rank = -1;
    } else if (text.starts_with("-----") || text.starts_with("=====")) {
      now = nullptr;
    } else if (now) {
      if (const auto rank = leading_number(value_of(text, "rank"))) now->rank = *rank;
      if (const auto code = leading_number(value_of(text, "exitcode"))) set_exit(now->exit, *code);
      const std::string_view traceback = value_of(text, "traceback");
      if (!traceback.empty() || !now->lines.empty())
        now->lines.push_back({line.time, std::string(traceback.empty() ? text : traceback)});
    }
  }
  // The report lists the root cause last, and sometimes a second time among the other failures.
  std::reverse(failures.begin(), failures.end());
  std::vector<ElasticFailure> once;
  for (ElasticFailure& failure : failures)
    if (failure.rank >= 0 && std::none_of(once.begin(), once.end(), [&](const ElasticFailure& other) {
          return other.rank == failure.rank;
        }))
      once.push_back(std::move(failure));
  return once;
}

}  // namespace kml::job
