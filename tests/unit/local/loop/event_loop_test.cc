#include "local/loop/event_loop.h"

#include <doctest/doctest.h>

#include <string>

#include "local/loop/work_queue.h"

namespace event_loop_test {

using namespace kml::local;
using namespace std::chrono_literals;

TEST_CASE("event loop: timers are called even if a work queue always has more work") {
  EventLoop loop;
  WorkQueue* endless = nullptr;
  WorkQueue queue(loop, [&](const std::string& key) { endless->add(key); });
  endless = &queue;
  queue.add("again");
  loop.after(1ms, [&] { loop.stop(); });
  loop.run();
}

TEST_CASE("event loop: each work queue makes progress in each turn, however long the others work") {
  EventLoop loop;
  WorkQueue* endless = nullptr;
  WorkQueue busy(loop, [&](const std::string& key) { endless->add(key); });
  endless = &busy;
  int left = 100;
  WorkQueue patient(loop, [&](const std::string&) {
    if (--left == 0) loop.stop();
  });
  busy.add("again");
  for (int i = 0; i < 100; ++i) patient.add(std::to_string(i));
  loop.run();
  CHECK(left == 0);
}

}  // namespace event_loop_test
