#include "pod/hang/probe.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/text.h"
#include "pod/hang/rank_state.h"

namespace probe_test {

using namespace kml;
using namespace kml::pod;

namespace {

/// /proc/PID/stat with the times that a process has used.
std::string stat(int pid, const std::string& name, char state, int parent, int ticks) {
  return "P " + std::to_string(pid) + " (" + name + ") " + state + " " + std::to_string(parent) +
         " 1 1 0 -1 4194304 132 0 0 0 " + std::to_string(ticks) + " 0 0 0 20 0 1 0 45835 2990080 405\n";
}

std::string two_looks(const std::string& first, const std::string& later, const std::string& parent = "0") {
  return "self 90 " + parent + " x86_64\nlook 100.00\n" + first + "look 103.00\n" + later + "end\n";
}

}  // namespace

TEST_CASE("probe: processor time and bytes are measured between the two samples") {
  const Probe probe =
      parse_probe(two_looks(stat(7, "python (a b)", 'S', 1, 100) + "I 7 rchar: 10\nI 7 wchar: 20\n",
                            stat(7, "python (a b)", 'R', 1, 250) + "I 7 rchar: 1010\nI 7 wchar: 20\n"));
  REQUIRE(probe.is_whole);
  REQUIRE(probe.processes.size() == 1);
  CHECK(probe.processes[0].name == "python (a b)");
  CHECK(probe.processes[0].cpu == doctest::Approx(0.5));
  CHECK(probe.processes[0].read == 1000);
  CHECK(probe.processes[0].written == 0);
}

TEST_CASE("probe: leaves out the script's own processes, and on this machine those of other pods") {
  const std::string all = stat(1, "init", 'S', 0, 1) + stat(50, "keeper", 'S', 1, 1) +
                          stat(51, "python", 'S', 50, 1) + stat(52, "worker", 'S', 51, 1) +
                          stat(60, "other", 'S', 1, 1) + stat(90, "sh", 'S', 50, 1) +
                          stat(91, "sleep", 'S', 90, 1);
  const Probe here = parse_probe(two_looks(all, all, "50"));
  REQUIRE(here.processes.size() == 2);
  CHECK(here.processes[0].name == "python");
  CHECK(here.processes[1].name == "worker");
  const std::string container =
      stat(1, "python", 'S', 0, 1) + stat(90, "sh", 'S', 0, 1) + stat(91, "sleep", 'S', 90, 1);
  const Probe there = parse_probe(two_looks(container, container));
  REQUIRE(there.processes.size() == 1);
  CHECK(there.processes[0].pid == 1);
}

TEST_CASE("probe: of the sockets that listen on RAS's port, finds the container's own") {
  const std::string all = stat(1, "init", 'S', 0, 1) + stat(50, "keeper", 'S', 1, 1) +
                          stat(51, "python", 'S', 50, 1) + stat(60, "other", 'S', 1, 1) +
                          stat(90, "sh", 'S', 50, 1);
  const Probe probe =
      parse_probe("self 90 50 x86_64\nlook 100.00\n" + all +
                  "L 7\nL 8\nO 51 socket:[7]\nO 60 socket:[8]\nlook 103.00\n" + all + "end\n");
  CHECK(probe.ras_sockets == std::vector<std::string>{"socket:[7]", "socket:[8]"});
  CHECK(probe.own_sockets == std::vector<std::string>{"socket:[7]"});
}

TEST_CASE("probe: finds what the main thread waits for") {
  const auto doing = [](const std::string& wait, const std::string& file = "") {
    const std::string process = stat(7, "train", 'S', 0, 1) + "W 7 " + wait + "\n";
    const Probe probe = parse_probe(two_looks(process, process) + (file.empty() ? "" : "F 7 " + file + "\n"));
    return rank_state({.processes = probe.processes}).doing;
  };
  CHECK(doing("anon_pipe_read 0 0x5", "/data/fifo") == Doing::input);
  CHECK(doing("0 0 0x5", "/data/shard-3") == Doing::input);
  CHECK(doing("wait_for_partner 257 0xffffff9c") == Doing::input);
  CHECK(doing("nfs_wait_bit_killable 0 0x5") == Doing::input);
  CHECK(doing("0 0 0x5", "socket:[77]") == Doing::network);
  CHECK(doing("0 45 0x5") == Doing::network);
  CHECK(doing("inet_csk_accept 288 0x5") == Doing::network);
  CHECK(doing("poll_schedule_timeout.constprop.0 7 0x7ff") == Doing::network);
  CHECK(doing("hrtimer_nanosleep 230 0x0") == Doing::asleep);
  CHECK(doing("0 23 0x0") == Doing::asleep);  // time.sleep() of Python before 3.11
  CHECK(doing("0 23 0x9") == Doing::network);
  CHECK(doing("futex_wait_queue 202 0x7f0") == Doing::waits);
  CHECK(doing("do_wait 61 0xffff") == Doing::waits);
  CHECK(doing("0 -") == Doing::unknown);
}

TEST_CASE("probe: a process is reported as stopped only if it is stopped in both samples") {
  const auto doing = [](char first, char later) {
    const Probe probe =
        parse_probe(two_looks(stat(7, "python", first, 0, 1), stat(7, "python", later, 0, 1)));
    return rank_state({.processes = probe.processes}).doing;
  };
  CHECK(doing('T', 'T') == Doing::stopped);
  CHECK(doing('t', 't') == Doing::stopped);
  CHECK(doing('S', 'T') != Doing::stopped);
  CHECK(doing('S', 'Z') == Doing::gone);
}

TEST_CASE("probe: main processes are the programs, not their shells, launchers, filters and workers") {
  const std::vector<Process> all = {
      {.pid = 1,
       .parent = 0,
       .name = "sh",
       .command = "sh -c torchrun train.py | tee log",
       .wait = "sigsuspend.isra.0"},
      {.pid = 2, .parent = 1, .name = "tee", .command = "tee log", .wait = "pipe_read"},
      {.pid = 3, .parent = 1, .name = "torchrun", .command = "/usr/bin/python /usr/bin/torchrun train.py"},
      {.pid = 4, .parent = 3, .name = "pt_main_thread", .command = "/usr/bin/python -u train.py"},
      {.pid = 5, .parent = 3, .name = "pt_main_thread", .command = "/usr/bin/python -u train.py"},
      {.pid = 6, .parent = 4, .name = "pt_data_worker", .command = "/usr/bin/python -u train.py"}};
  const auto found = main_processes(all);
  REQUIRE(found.size() == 2);
  CHECK(found[0]->pid == 4);
  CHECK(found[1]->pid == 5);
}

TEST_CASE(
    "probe: a rank works if its data loader's workers do, but not if only a collective uses a processor") {
  RankLook rank{.processes = {{.pid = 4, .parent = 1, .name = "python", .command = "python", .state = 'S'},
                              {.pid = 6, .parent = 4, .name = "worker", .state = 'R', .cpu = 0.9}},
                .stacks = {{4, {{.frames = {{"_try_get_data", "/torch/utils/data/dataloader.py", 1}}}}}}};
  CHECK(rank_state(rank).doing == Doing::works);
  rank.processes[1].cpu = 0;
  CHECK(rank_state(rank).doing == Doing::input);
  rank.stacks[0].threads[0].frames = {{"wait", "x.py", 3},
                                      {"all_reduce", "/torch/distributed/distributed_c10d.py", 2808}};
  rank.processes[0].cpu = 1;
  const RankState state = rank_state(rank);
  CHECK(state.doing == Doing::collective);
  CHECK(state.operation == "all_reduce");
}

TEST_CASE("probe: reads py-spy's JSON, even after a warning, or reports why none exists") {
  const std::string json =
      R"([{"pid": 7, "thread_name": "Thread-1", "frames": [{"name": "run", "filename": "a.py", "line": 1}]},
      {"pid": 7, "thread_name": "MainThread", "frames": [{"name": "DataLoader.__next__", "filename": "/app/data.py", "line": 88},
      {"name": "main", "filename": "/app/train.py", "line": 9}]}])";
  const auto main_frames = [](const std::string& text) {
    const Stack stack = parse_stack(7, text);
    return stack.threads.empty() ? std::vector<Frame>() : stack.threads[0].frames;
  };
  const auto frames = main_frames("Warning: slow\n" + json);
  REQUIRE(frames.size() == 2);
  const RankState state = told_by(frames);
  CHECK(state.doing == Doing::input);
  CHECK(state.where == "DataLoader.__next__ data.py:88");
  // A script that never imports `threading` has one thread, which py-spy cannot name.
  const char* unnamed =
      R"([{"pid": 7, "thread_name": null, "os_thread_id": 7, "frames": [{"name": "train", "filename": "t.py", "line": 3}]}])";
  REQUIRE(main_frames(unnamed).size() == 1);
  CHECK(main_frames(unnamed)[0].function == "train");
  const char* two =
      R"([{"pid": 7, "thread_name": null, "os_thread_id": 9, "frames": [{"name": "helper", "filename": "t.py", "line": 8}]},
      {"pid": 7, "thread_name": null, "os_thread_id": 7, "frames": [{"name": "train", "filename": "t.py", "line": 3}]}])";
  CHECK(main_frames(two).at(0).function == "train");
  const char* text =
      "Process 7: python t.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
      "Thread 8 (idle): \"loader (1)\"\n    wait (threading.py:320)\n    <module> (t (1).py:9)\n"
      "Thread 7 (active+gil): \"MainThread\"\n    train (t.py:3)\n        Locals:\n            n: 3\n";
  const Stack stack = parse_stack(7, text);
  REQUIRE(stack.threads.size() == 2);
  CHECK(stack.threads[0].is_main);
  CHECK_FALSE(stack.threads[0].is_idle);
  CHECK(stack.threads[0].frames == std::vector<Frame>{{"train", "t.py", 3}});
  CHECK(stack.threads[1].name == "loader (1)");
  CHECK(stack.threads[1].is_idle);
  CHECK(stack.threads[1].frames.size() == 2);
  CHECK(main_frames("Permission denied").empty());
  CHECK(main_frames("[{").empty());
  const std::string process = stat(7, "python", 'S', 0, 1);
  const Probe refused = parse_probe(two_looks(process, process) + "S 7\nPermission denied\n\nS end\n");
  CHECK(refused.stacks.empty());
  CHECK(refused.stacks_unseen == "py-spy: Permission denied");
  const Probe seen =
      parse_probe(two_looks(process, process) + "S 7\n" + json + "\n\nS end\nC 7 python a.py\n");
  REQUIRE(seen.stacks.size() == 1);
  CHECK(seen.stacks[0].threads[0].is_main);
  CHECK(seen.stacks[0].threads[1].name == "Thread-1");
  CHECK(seen.processes[0].command == "python a.py");
}

TEST_CASE("probe: its command fits in the URL of a request") {
  size_t bytes = 0;
  for (const std::string& word : probe_command(std::chrono::seconds(3), "/tmp/py-spy"))
    bytes += percent_encoded(word).size();
  CHECK(bytes < 15'000);
}

TEST_CASE("probe: any beginning of its output can be read") {
  const std::string process =
      stat(7, "python", 'S', 0, 1) + "W 7 futex_wait 202 0x1\nI 7 rchar: 1\nD 7 nfs\n";
  const std::string whole = two_looks(process, process) + "F 7 /x\nS 7\n[]\nS end\nC 7 a\nG 5\n";
  for (size_t length = 0; length <= whole.size(); ++length)
    CHECK_NOTHROW(parse_probe(whole.substr(0, length)));
  CHECK_FALSE(parse_probe(whole.substr(0, 60)).is_whole);
}

}  // namespace probe_test
