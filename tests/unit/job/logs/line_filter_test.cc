#include "job/logs/line_filter.h"

#include <doctest/doctest.h>

#include "job/logs/rank_prefix.h"
#include "job/logs/recording_sink.h"

namespace line_filter_test {

using namespace kml;
using namespace kml::job;

namespace {

LogLine line(const LogSource& source, std::string_view text, bool begins = true, bool ends = true) {
  return {&source, {}, "", text, begins, ends};
}

std::string passed(const LineFilter::Rules& rules, std::vector<LogLine> lines) {
  RecordingSink sink;
  LineFilter filter(rules, sink);
  filter.lines(lines);
  return sink.said;
}

}  // namespace

TEST_CASE("line_filter: a line passes if it matches one of the includes and none of the excludes") {
  const LogSource a{.label = "0"};
  const std::vector<LogLine> lines = {line(a, "step 1 loss"), line(a, "eval"), line(a, "step 2 nan"),
                                      line(a, "other")};
  CHECK(passed({.include = {"^step \\d", "eval"}, .exclude = {"nan"}}, lines) ==
        "0.0 step 1 loss\n0.0 eval\n");
  CHECK(passed({.exclude = {"step"}}, lines) == "0.0 eval\n0.0 other\n");
}

TEST_CASE("line_filter: a long line passes or is dropped as a whole, even between other lines") {
  const LogSource a{.label = "0"}, b{.label = "1"};
  CHECK(passed({.include = {"yes"}},
               {line(a, "yes ", true, false), line(b, "no ", true, false), line(a, "and", false, false),
                line(b, "yes", false, true), line(a, "on", false, true), line(a, "no")}) ==
        "0.0 yes ~0.0 and~0.0 on\n");
}

TEST_CASE("line_filter: ranks that share a pod are recognized by their prefixes") {
  const LogSource first{.label = "0", .rank = 0}, second{.label = "1", .rank = 1};
  const std::vector<LogLine> lines = {line(first, "[default1]:a"), line(second, "[default1]: b"),
                                      line(first, "[rank5]: c"), line(second, "launcher"),
                                      line(second, "[default1]:[rank5]: d")};
  CHECK(passed({.rank = 5, .ranks_per_pod = 4}, lines) ==
        "1.0 [default1]: b\n0.0 [rank5]: c\n1.0 [default1]:[rank5]: d\n");
}

TEST_CASE("rank_prefix: finds the prefixes of launchers, and ignores text that only looks like one") {
  struct Row {
    const char* line;
    int number;
    bool is_local;
    size_t length;
  };
  for (const Row& row : {Row{"[default3]:x", 3, true, 11}, Row{"[rank12]: x", 12, false, 10},
                         Row{"[1,7]<stderr>:x", 7, false, 14}, Row{"[trainer-a0]: x", 0, true, 14}}) {
    CAPTURE(row.line);
    const auto prefix = rank_prefix(row.line);
    REQUIRE(prefix);
    CHECK(prefix->number == row.number);
    CHECK(prefix->is_local == row.is_local);
    CHECK(prefix->length == row.length);
  }
  for (const char* text : {"", "[", "[]:", "[3]: x", "[default]: x", "[rank3] x", "rank3: x", "[INFO] 3",
                           "[1,]<stdout>:", "[rank99999999999]: x", "[2,3]"})
    CHECK_MESSAGE(!rank_prefix(text), text);
}

TEST_CASE("ranks_per_pod: is read from the job's field, the launcher's arguments, or the environment") {
  const auto job = [](Json container) {
    return Json{{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"spec", {{"template", {{"spec", {{"containers", {std::move(container)}}}}}}}}};
  };
  CHECK(ranks_per_pod(job({{"command", {"torchrun", "--nproc_per_node=8", "train.py"}}})) == 8);
  CHECK(ranks_per_pod(job({{"command", {"torchrun"}}, {"args", {"--nproc-per-node", "4", "train.py"}}})) ==
        4);
  CHECK(ranks_per_pod(job({{"env", {{{"name", "PET_NPROC_PER_NODE"}, {"value", "2"}}}}})) == 2);
  CHECK(ranks_per_pod(job({{"command", {"torchrun", "--nproc_per_node=gpu"}}})) == 1);
  CHECK(ranks_per_pod(Json{{"kind", "PyTorchJob"}, {"spec", {{"nprocPerNode", "8"}}}}) == 8);
}

}  // namespace line_filter_test
