#include "kube/logs/seen_lines.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace seen_lines_test {

using namespace kml;
using namespace kml::kube;

namespace {

struct Line {
  Time time;
  std::string text;
  bool operator==(const Line&) const = default;
};

/// A container's log with that number of lines: some are equal, many have the same nanosecond, some are
/// slightly out of order.
std::vector<Line> random_log(std::mt19937& random, size_t lines, int per_second) {
  std::vector<Line> log;
  Time time{std::chrono::seconds(1'000'000)};
  std::uniform_int_distribution<int> dice(0, 99);
  for (size_t i = 0; i < lines; ++i) {
    if (dice(random) < 50) time += nanoseconds(2'000'000'000 / per_second);
    const nanoseconds late(dice(random) < 5 ? 1'000'000 : 0);
    log.push_back({time - late, dice(random) < 50 ? "same" : "line " + std::to_string(i % 7)});
  }
  return log;
}

/// Reads the log by many requests that break at random.
std::vector<Line> read_with_breaks(std::mt19937& random, const std::vector<Line>& log, SeenLines& seen) {
  std::vector<Line> got;
  std::uniform_int_distribution<size_t> length(1, log.size() / 20);
  for (size_t reached = 0; reached < log.size();) {
    const auto since = seen.resume_from();
    if (since) seen.resumed();
    // The node can return only lines that are already written.
    const size_t end = std::min(log.size(), reached + length(random));
    for (size_t i = 0; i < end; ++i)
      if ((!since || log[i].time >= *since) &&
          seen.judge(log[i].time, log[i].text) == SeenLines::Verdict::fresh)
        got.push_back(log[i]);
    reached = end;
  }
  return got;
}

}  // namespace

TEST_CASE("seen_lines: no line is lost or doubled, wherever the stream breaks") {
  for (const int per_second : {3, 100, 3'000})
    for (unsigned seed = 0; seed < 20; ++seed) {
      CAPTURE(per_second);
      CAPTURE(seed);
      std::mt19937 random(seed);
      const std::vector<Line> log = random_log(random, 2'000, per_second);
      SeenLines seen;
      CHECK(read_with_breaks(random, log, seen) == log);
    }
}

TEST_CASE("seen_lines: no line is lost or doubled even if two seconds have far more lines than it keeps") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::vector<Line> log = random_log(random, 10 * SeenLines::kMost, 50'000);
    SeenLines seen;
    CHECK(read_with_breaks(random, log, seen) == log);
  }
}

TEST_CASE("seen_lines: of too many lines with one timestamp, only the number is remembered") {
  SeenLines seen;
  const Time time{std::chrono::seconds(100)};
  const size_t many = 3 * SeenLines::kMost;
  for (size_t i = 0; i < many; ++i) seen.judge(time, "text " + std::to_string(i));
  seen.resumed();
  for (size_t i = 0; i < many; ++i)
    REQUIRE(seen.judge(time, "text " + std::to_string(i)) == SeenLines::Verdict::seen);
  CHECK(seen.judge(time, "text 0") == SeenLines::Verdict::fresh);
}

TEST_CASE("seen_lines: the first new line after a rotation reports the gap, until the line is accepted") {
  SeenLines seen;
  const Time time{std::chrono::seconds(100)};
  seen.judge(time, "a");
  seen.resumed();
  using Verdict = SeenLines::Verdict;
  const Time later = time + std::chrono::milliseconds(1);
  CHECK(seen.judge(later, "b") == Verdict::fresh_after_gap);
  CHECK(seen.judge(later, "b") == Verdict::fresh_after_gap);
  seen.accept();
  CHECK(seen.judge(later, "b") == Verdict::fresh);
  seen.resumed();
  CHECK(seen.judge(later, "b") == Verdict::seen);
}

}  // namespace seen_lines_test
