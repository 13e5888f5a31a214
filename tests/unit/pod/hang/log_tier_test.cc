#include "pod/hang/log_tier.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/fake_transport.h"

namespace log_tier_test {

using namespace kml;
using namespace kml::job;
using namespace kml::pod;
using std::chrono::seconds;

namespace {

const Time kStart = *parse_rfc3339("2026-01-01T12:00:00Z");

/// Lines, each a second after the previous one.
struct Log {
  FakeTransport transport;
  kube::Client client{transport};
  LogTier tier{client, {{"kind", "Job"}, {"apiVersion", "batch/v1"}, {"metadata", {{"name", "j"}}}}, {}};
  LogSource source{.pod_uid = "u"};
  Time time = kStart;

  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const LogLine line{.source = &source, .time = time, .stamp = {}, .text = text};
      tier.lines({&line, 1});
      time += seconds(1);
    }
  }
  LogLook look() const { return tier.look_of("u"); }
};

}  // namespace

TEST_CASE("hang: the pauses of a log are measured between its steps") {
  Log log;
  log.add({"begin"});
  log.time += seconds(20);
  log.add({"step=1 loss=2", "validation", "validation"});
  log.time += seconds(5);
  log.add({"Accuracy at step 2: 0.9"});
  CHECK(log.look().longest_pause == seconds(8));
  CHECK(log.look().last_at == log.time - seconds(1));
  log.add({"step=3 epoch=1"});
  log.time += seconds(20);
  log.add({"validation"});
  CHECK(log.look().longest_pause == seconds(8));
  CHECK(log.look().step == 3);
}

TEST_CASE("hang: lines of waiting ranks are shown, but are not progress") {
  Log log;
  log.add({"step=1", "step=2", "Watchdog heartbeat", "waiting for rank 3"});
  CHECK(log.look().last_at == kStart + seconds(1));
  CHECK(log.look().last_line == "waiting for rank 3");
}

TEST_CASE("hang: an error is current until the next step; a lost peer alone is not an error") {
  Log log;
  log.add({"step=1", "Traceback (most recent call last):", "ValueError: no batch at step=7"});
  CHECK(log.look().error == "ValueError: no batch at step=7");
  log.add({"step=2"});
  CHECK(log.look().error.empty());
  log.add({"ConnectionResetError: [Errno 104]"});
  CHECK(log.look().error.empty());
}

TEST_CASE("hang: of two samples of a log, the later one shows which steps and lines are new") {
  Log first, later;
  first.add({"step=1", "step=2"});
  later.add({"step=1", "step=2", "step=3", "step=4", "saving checkpoint to /data"});
  const LogLook look = first.tier.look_of("u", later.tier);
  CHECK(look.step == 2);
  CHECK(look.step_later == 4);
  CHECK(look.new_lines == 3);
  CHECK(look.is_saving);
  const LogLook same = first.tier.look_of("u", first.tier);
  CHECK(same.step_later == 2);
  CHECK(same.new_lines == 0);
  CHECK_FALSE(first.tier.look_of("other", later.tier).step_later);
}

TEST_CASE("hang: a shell's line about a killed program is recognized") {
  for (const char* text : {"Killed", "x.sh: line 3:    81 Killed                  python train.py"}) {
    Log log;
    log.add({"step=1", text});
    CHECK(log.look().was_killed);
    log.add({"again"});
    CHECK_FALSE(log.look().was_killed);
  }
}

}  // namespace log_tier_test
