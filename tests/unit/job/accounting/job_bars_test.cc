#include "kml/job/accounting/job_bars.h"

#include <doctest/doctest.h>

namespace job_bars_test {

using namespace kml;
using namespace kml::job;

namespace {

Time at(int minute) {
  return Time(std::chrono::minutes(minute));
}

/// The bars with their minutes, such as "running 1-5, queued 5-7".
std::string shown(const BarRow& row) {
  std::string text;
  for (const Bar& bar : row.bars)
    text += (text.empty() ? "" : ", ") + std::string(name_of(bar.kind)) + " " +
            std::to_string(floor<std::chrono::minutes>(bar.start.time_since_epoch()).count()) + "-" +
            std::to_string(floor<std::chrono::minutes>(bar.end.time_since_epoch()).count());
  return text;
}

JobAccount account(std::vector<PodSpan> spans) {
  JobAccount account;
  account.created = at(0);
  account.finished = at(20);
  account.spans = std::move(spans);
  account.covered = {{at(0), at(20), 1, 1}};
  return account;
}

PodSpan span(int start, int end, const std::string& lane = "a", Use use = Use::well) {
  return {at(start), at(end), 1, use, lane};
}

}  // namespace

TEST_CASE("job_bars: each place of a pod has its own row, with the times before and between its pods") {
  const auto rows =
      rows_of(account({span(2, 5, "a", Use::failed), span(7, 20, "a"), span(4, 20, "b")}), at(30));
  REQUIRE(rows.size() == 2);
  CHECK(shown(rows[0]) == "queued 0-2, failed 2-5, queued 5-7, running 7-20");
  CHECK(shown(rows[1]) == "queued 0-4, running 4-20");
}

TEST_CASE("job_bars: of two pods in one place at the same time, the one that runs is shown") {
  const std::string kinds[] = {
      shown(rows_of(account({span(0, 20), span(5, 8)}), at(30))[0]),
      shown(rows_of(account({span(0, 20), span(5, 8, "a", Use::failed)}), at(30))[0]),
      shown(row_of(account({span(0, 20, "a"), span(5, 8, "b", Use::failed)}), at(30))),
  };
  for (const std::string& kind : kinds) CHECK(kind == "running 0-20");
  CHECK(shown(rows_of(account({span(0, 8, "a", Use::failed), span(5, 20)}), at(30))[0]) ==
        "failed 0-5, running 5-20");
}

TEST_CASE("job_bars: the time after the last pod shows what the job waited for") {
  struct Row {
    const char* what;
    State state;
    bool has_finished;
    Use use;
    const char *cause, *whole, *lane;
  };
  for (const Row& row :
       std::vector<Row>{{"its pod was deleted", State::waiting, false, Use::stopped, "Deleted",
                         ", queued 5-30", ", queued 5-30"},
                        {"it is suspended", State::suspended, false, Use::stopped, "Suspended",
                         ", suspended 5-30", ", suspended 5-30"},
                        {"its task was cancelled, and the others run", State::running, false, Use::stopped,
                         "cancelled", "", ""},
                        {"its task was cancelled, and the others wait", State::waiting, false, Use::stopped,
                         "cancelled", ", queued 5-30", ""},
                        {"its task has succeeded, and the others wait", State::waiting, false, Use::well,
                         "Succeeded", ", queued 5-30", ""},
                        {"it was cancelled while it was suspended", State::cancelled, true, Use::stopped,
                         "Suspended", ", suspended 5-20", ", suspended 5-20"},
                        {"it was cancelled", State::cancelled, true, Use::stopped, "cancelled", "", ""},
                        {"its time limit was reached before its next attempt", State::failed, true,
                         Use::failed, "exit code 3", ", queued 5-20", ""},
                        {"it has succeeded", State::succeeded, true, Use::well, "Succeeded", "", ""}}) {
    CAPTURE(row.what);
    JobAccount job = account({span(0, 5, "a", row.use)});
    job.spans[0].cause = row.cause;
    job.state = name_of(row.state);
    job.covered = {{at(0), at(30), 1, 1}};
    if (!row.has_finished) job.finished.reset();
    const std::string ran = row.use == Use::failed ? "failed 0-5" : "running 0-5";
    CHECK(shown(row_of(job, at(30))) == ran + row.whole);
    CHECK(shown(rows_of(job, at(30))[0]) == ran + row.lane);
  }
  JobAccount never_ran = account({});
  never_ran.suspended = at(12);
  CHECK(shown(row_of(never_ran, at(30))) == "queued 0-12, suspended 12-20");
}

}  // namespace job_bars_test
