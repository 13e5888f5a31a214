#include "pod/hang/deadlock.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "kml/base/text.h"
#include "pod/hang/hang.h"

namespace deadlock_test {

using namespace kml;
using namespace kml::pod;

namespace {

const Frame kFork{"Popen._launch", "/usr/lib/python3/multiprocessing/popen_fork.py", 71};

Waitable lock(const std::string& name, bool is_shared = false) {
  return {.name = name, .keys = {name}, .is_shared = is_shared};
}

/// Thread `id` of `x.py`, which waits in its line `id`.
Thread thread(long long id, const std::string& holds, Waitable waits) {
  const Frame at{"work", "/app/x.py", static_cast<int>(id)};
  return {.id = id,
          .name = "t" + std::to_string(id),
          .is_main = id == 7,
          .is_idle = true,
          .frames = {at},
          .holds = {lock(holds)},
          .waits = std::move(waits),
          .waits_at = at};
}

RankLook rank_with(std::vector<Stack> stacks) {
  return {.label = "0", .rank = 0, .stacks = stacks, .earlier_stacks = stacks};
}

/// Thread 7 holds a and waits for b; thread 8 the other way around.
RankLook two_threads() {
  return rank_with({{7, {thread(7, "a", lock("b")), thread(8, "b", lock("a"))}}});
}

RankLook two_processes(bool is_shared, bool is_forked) {
  RankLook rank =
      rank_with({{7, {thread(7, "a", lock("b", is_shared))}}, {8, {thread(8, "b", lock("a", is_shared))}}});
  for (auto* stacks : {&rank.stacks, &rank.earlier_stacks})
    for (Stack& stack : *stacks)
      if (is_forked) stack.threads[0].frames.push_back(kFork);
  return rank;
}

struct Case {
  const char* name;
  RankLook rank;
  std::string found;  ///< the deadlock in words; empty if there is none
};

}  // namespace

TEST_CASE("deadlock: who waits for whom is named, and only a wait that can never end is called a deadlock") {
  RankLook moved = two_threads(), once = two_threads(), loop = two_threads(), longer = two_threads();
  moved.earlier_stacks[0].threads[1].frames[0].line = 3;
  once.earlier_stacks.clear();
  loop.stacks[0].threads[0].waits = loop.earlier_stacks[0].threads[0].waits = lock("c");
  longer.stacks[0].threads[1].waits = lock("c");
  longer.stacks[0].threads.push_back(thread(9, "c", lock("a")));
  longer.earlier_stacks = longer.stacks;
  RankLook files{.processes = {{.pid = 3, .state = 'S', .state_before = 'S', .file = "/data/b.lock"},
                               {.pid = 4, .state = 'S', .state_before = 'S', .file = "/data/a.lock"}},
                 .file_waits = {{3, 4}, {4, 3}}};
  RankLook one_file = files, file_moved = files;
  one_file.file_waits.pop_back();
  file_moved.processes[0].state_before = 'R';
  const Case cases[] = {
      {"two threads", two_threads(),
       "main thread waits for b at work x.py:7, held by thread \"t8\"; thread \"t8\" waits for a at work "
       "x.py:8, held by main thread"},
      {"three threads", longer,
       "main thread waits for b at work x.py:7, held by thread \"t8\"; thread \"t8\" waits for c at work "
       "x.py:8, held by thread \"t9\"; thread \"t9\" waits for a at work x.py:9, held by main thread"},
      {"a thread that waits for itself", rank_with({{7, {thread(7, "a", lock("a"))}}}),
       "main thread waits for a at work x.py:7, which it holds itself"},
      {"a thread that joins one that waits for its lock",
       rank_with({{7,
                   {thread(7, "a", {.name = "thread \"t8\"", .keys = {"@8"}}),
                    Thread{thread(8, "@8", lock("a"))}}}}),
       "main thread waits for the end of thread \"t8\" at work x.py:7; thread \"t8\" waits for a at work "
       "x.py:8, held by main thread"},
      {"forked processes and a shared lock", two_processes(true, true),
       "main thread of process 7 waits for b at work x.py:7, held by thread \"t8\" of process 8; thread "
       "\"t8\" of process 8 waits for a at work x.py:8, held by main thread of process 7"},
      {"locks of files", files,
       "process 3 waits for the lock of /data/b.lock, held by process 4; process 4 waits for the lock of "
       "/data/a.lock, held by process 3"},
      {"a lock that nobody waits back for", loop, ""},
      {"a thread that moved between the looks", moved, ""},
      {"threads that were seen once", once, ""},
      {"processes with a lock each of their own", two_processes(false, true), ""},
      {"processes whose addresses cannot be compared", two_processes(true, false), ""},
      {"one process that waits for a file", one_file, ""},
      {"a process that has just begun to wait for a file", file_moved, ""},
      {"nothing seen", {}, ""}};
  for (const Case& each : cases) {
    CAPTURE(each.name);
    CHECK(deadlock_in(each.rank).value_or("") == each.found);
  }
}

TEST_CASE("deadlock: is reported at once, even if the job makes progress") {
  JobLook look{.job = "bert", .now = Time(std::chrono::hours(500'000)), .between = std::chrono::seconds(3)};
  look.ranks.push_back(two_threads());
  look.ranks[0].log.last_at = look.now;
  const HangVerdict stuck = verdict(look);
  CHECK(stuck.state == HangState::stuck);
  CHECK(stuck.cause == HangCause::deadlock);
  CHECK(stuck.cause_text == "deadlock on rank 0");
  CHECK(stuck.ranks == std::vector<size_t>{0});
  look.ranks[0].log.step = 100;
  look.ranks[0].log.step_later = 103;
  const HangVerdict moves = verdict(look);
  CHECK(moves.state == HangState::moves);
  CHECK(moves.cause == HangCause::deadlock);
  CHECK(contains(moves.summary, "step 103, 1 steps/s; but rank 0: main thread waits for b"));
}

TEST_CASE("hang: a loop that prints nothing for 90 seconds is not reported as progress") {
  struct Silence {
    const char* name;
    std::chrono::seconds silent;
    std::vector<std::vector<Frame>> looks;  ///< the stacks of the main thread
    HangState state;
    std::string said;
  };
  const Frame main{"main", "/app/t.py", 20}, later{"main", "/app/t.py", 22}, train{"train", "/app/t.py", 9},
      module{"<module>", "/app/t.py", 30};
  const Silence cases[] = {
      {"less than 90 s", std::chrono::seconds(80), {{train, main}, {train, main}}, HangState::moves, ""},
      {"the same line",
       std::chrono::seconds(90),
       {{train, main}, {train, main}},
       HangState::quiet,
       "no output for 90s, always in train() at t.py:9; rank 0: works"},
      {"lines of one function",
       std::chrono::seconds(90),
       {{train, main}, {later}, {main}},
       HangState::quiet,
       "no output for 90s, always in main() at t.py:20-22; rank 0: works"},
      {"a module",
       std::chrono::seconds(90),
       {{module}, {module}},
       HangState::quiet,
       "no output for 90s, always in <module> at t.py:30; rank 0: works"},
      {"nothing in common",
       std::chrono::seconds(90),
       {{train}, {module}},
       HangState::quiet,
       "no output for 90s; rank 0: works"},
      {"seen once",
       std::chrono::seconds(90),
       {{train}},
       HangState::quiet,
       "no output for 90s; rank 0: works"}};
  for (const Silence& each : cases)
    for (const bool has_peer : {false, true}) {
      CAPTURE(each.name);
      CAPTURE(has_peer);
      JobLook look{
          .job = "bert", .now = Time(std::chrono::hours(500'000)), .between = std::chrono::seconds(3)};
      RankLook rank{.label = "0", .rank = 0};
      rank.log.last_at = look.now - each.silent;
      rank.processes = {{.pid = 7, .name = "python", .command = "python t.py", .state = 'R', .cpu = 1}};
      for (const auto& frames : each.looks) rank.earlier_stacks.push_back({7, {{.id = 7, .frames = frames}}});
      rank.stacks = {rank.earlier_stacks.back()};
      rank.earlier_stacks.pop_back();
      look.ranks.push_back(rank);
      if (has_peer) {
        RankLook peer{.label = "1", .rank = 1};
        peer.log.last_at = rank.log.last_at;
        peer.processes = {
            {.pid = 7, .name = "python", .state = 'S', .wait = "wait_woken", .call = "recvfrom"}};
        look.ranks.push_back(peer);
      }
      const HangVerdict found = verdict(look);
      CHECK(name_of(found.state) == name_of(each.state));
      CHECK(contains(found.summary, each.said));
    }
}

}  // namespace deadlock_test
