#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pod/hang/hang.h"

namespace verdict_test {

using namespace kml;
using namespace kml::job;
using namespace kml::pod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

inline const Time kNow = *parse_rfc3339("2026-01-01T12:00:00Z");

inline Process process(const std::string& wait, const std::string& call = "") {
  return {.pid = 7,
          .parent = 0,
          .name = "python",
          .command = "python train.py",
          .state = 'S',
          .wait = wait,
          .call = call};
}

inline const Process kNetwork = process("wait_woken", "recvfrom"),
                     kSleep = process("hrtimer_nanosleep", "clock_nanosleep"),
                     kPipe = process("pipe_read", "read"), kFutex = process("futex_wait_queue", "futex");

inline Stack stack(const std::string& function, const std::string& file) {
  return {7, {{.frames = {{function, file, 88}, {"main", "/app/train.py", 9}}}}};
}

inline const Stack kAllReduce = stack("all_reduce", "/torch/distributed/distributed_c10d.py"),
                   kBroadcast = stack("broadcast", "/torch/distributed/distributed_c10d.py"),
                   kLoader = stack("_next_data", "/torch/utils/data/dataloader.py"),
                   kSave = stack("save", "/torch/serialization.py");

/// Four ranks that wait for each other in a network call. Their logs have had no line for five minutes, after
/// a step each second.
struct Job {
  JobLook look{.job = "bert", .now = kNow, .between = seconds(3)};

  Job() {
    for (int i = 0; i < 4; ++i)
      look.ranks.push_back({.label = std::to_string(i),
                            .rank = i,
                            .pod = "bert-" + std::to_string(i),
                            .node = "node1",
                            .addresses = {"10.0.0." + std::to_string(i)},
                            .log = {.last_line = "step=100 loss=0.5",
                                    .last_at = kNow - minutes(5),
                                    .step = 100,
                                    .step_later = 100,
                                    .longest_pause = seconds(1)},
                            .processes = {kNetwork}});
  }
  RankLook& rank(size_t place) { return look.ranks[place]; }
  void each(const std::function<void(RankLook&)>& change) {
    for (RankLook& one : look.ranks) change(one);
  }
  void silent_for(nanoseconds time) {
    each([&](RankLook& one) { one.log.last_at = kNow - time; });
  }
  /// Rank `behind` has launched one AllReduce less, and rank `other` a Broadcast instead. Between the
  /// answers, each rank launches `moved` more AllReduces.
  void add_ras(int behind, long long moved, int other = -1) {
    const auto answer = [&](long long more) {
      RasCommunicator communicator{.id = "27a0", .size = 4};
      for (int i = 0; i < 4; ++i)
        communicator.ranks.push_back(
            {.rank = i,
             .host = "10.0.0." + std::to_string(i),
             .pid = 7,
             .counts = {{"AllReduce", 6650 + more - (i == behind || i == other ? 1 : 0)},
                        {"Broadcast", i == other ? 3 : 2}}});
      return RasAnswer{.version = "2.28.9", .communicators = {communicator}};
    };
    look.ras = answer(0);
    look.ras_later = answer(moved);
  }
  void dies(size_t place, EndKind kind, nanoseconds ago, std::vector<std::string> lines = {}) {
    Death death{
        .source = {.pod = rank(place).pod, .rank = rank(place).rank}, .rank = rank(place).rank, .kind = kind};
    death.exit = {.code = 137, .signal = 9, .finished = kNow - ago};
    for (std::string& line : lines) death.lines.push_back({kNow - ago, std::move(line)});
    look.died = FirstError{.death = std::move(death)};
  }
};

}  // namespace verdict_test
