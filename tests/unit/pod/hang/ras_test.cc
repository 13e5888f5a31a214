#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"
#include "pod/hang/ras_answer.h"

namespace ras_test {

using namespace kml;
using namespace kml::pod;

namespace {

// No GPU was available to record these answers. They follow the format strings of NVIDIA/nccl,
// src/ras/client_support.cc, at v2.24.3-1 (text), v2.28.9-1 and master of 2026 (text and JSON), and the
// examples in its manual.

const std::string kOk = "SERVER PROTOCOL 2\nOK\nOK\n";
const std::string kNoJson = "SERVER PROTOCOL 2\nOK\nERROR: Unknown command SET FORMAT json\n";

std::string head(const std::string& errors) {
  return R"(NCCL version 2.27.5 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12090

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      2          4            1          8        8

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         2         4         8         8   RUNNING  )" +
         errors +
         "\n    1         2         2         1         4         8   RUNNING      OK\n\nErrors\n======\n\n";
}

std::string mismatch(const std::string& count) {
  return head("MISMATCH") + R"(Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  7 ranks have launched up to operation 6650
  Rank 7 has launched up to operation )" +
         count + R"( -- GPU 3 managed by process 81 on node 10.0.0.7

)";
}

const std::string kDead = head("INCOMPLETE") + R"(DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 81 on node 10.0.0.7 managing GPU 3

#0-0 (27a079b828ff1a75) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 7 -- GPU 3 managed by process 81 on node 10.0.0.7

Warnings
========

)";

const std::string kOldMismatch = head("MISMATCH") + R"(Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  6 ranks have launched up to operation 12
  2 ranks have not launched any operations
  Rank 2 -- GPU 2 managed by process 41 on node 10.0.0.6
  Rank 5 -- GPU 1 managed by process 71 on node 10.0.0.7

)";

std::string json_rank(int rank, long long reduced, long long sent) {
  const std::string number = std::to_string(rank);
  return R"({"rank": )" + number + R"(, "host": "10.0.0.)" + number + R"(", "pid": 5)" + number +
         R"(, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": 0, "finalize_called": false,
             "destroy_flag": false, "abort_flag": false}, "collective_counts": {"Broadcast": )" +
         std::to_string(sent) + R"(, "Reduce": 0, "AllGather": 0, "ReduceScatter": 0, "AllReduce": )" +
         std::to_string(reduced) + "}}";
}

std::string json(const std::string& ranks, const std::string& missing = "") {
  return kOk + R"({"nccl_version": "2.29.2", "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
    "timestamp": "2026-01-01 10:00:00", "communicators_count": 1, "communicators": [{"hash": "0xae94423cfbb2ef4a",
    "secondary_hash": "0xb7e7187447156001:0xb8242ed28a71381e", "size": 3, "ranks_count": 3, "missing_ranks_count": 0,
    "ranks": [)" +
         ranks + R"(], "missing_ranks": [)" + missing +
         R"(]}], "ras": {"collection_time_sec": 0.000, "timeouts_count": 0}})";
}

RasState compared(const std::string& first, const std::string& later) {
  return ras_state(parse_ras(first), parse_ras(later));
}

using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("ras: the text format names the rank that is behind") {
  for (const std::string& begin : {kOk, kNoJson}) {
    const RasState state = compared(begin + mismatch("6649"), begin + mismatch("6649"));
    CHECK_FALSE(state.has_moved);
    CHECK(state.size == 8);
    CHECK(state.behind == Ranks{7});
    CHECK(state.operation == "AllReduce");
    CHECK(state.launched == 6650);
    CHECK(state.launched_by_behind == 6649);
    REQUIRE(state.members.size() == 8);
    CHECK(state.members[7].pid == 81);
    CHECK(state.members[7].host == "10.0.0.7");
  }
  CHECK(parse_ras(kOk + mismatch("1")).version == "2.27.5");
}

TEST_CASE("ras: a count that rises between two answers is progress") {
  CHECK(compared(kOk + mismatch("6648"), kOk + mismatch("6649")).has_moved);
  // Once the counts of the ranks agree again, RAS prints none.
  CHECK(compared(kOk + mismatch("6649"), kOk + head("OK")).has_moved);
  CHECK_FALSE(compared(kOk + head("OK"), kOk + head("OK")).has_moved);
}

TEST_CASE("ras: dead processes and missing ranks are reported") {
  const RasAnswer answer = parse_ras(kOk + kDead);
  REQUIRE(answer.lost.size() == 1);
  CHECK(answer.lost[0].state == RasRank::State::dead);
  CHECK(answer.lost[0].pid == 81);
  const RasState state = ras_state(answer, answer);
  CHECK(state.lost == Ranks{7});
  CHECK(state.is_dead);
  std::string old = kDead;
  old.replace(old.find("  Rank 7 --"), old.find("\n\nWarnings") - old.find("  Rank 7 --"),
              "  The missing rank: 7");
  CHECK(compared(kOk + old, kOk + old).lost == Ranks{7});
}

TEST_CASE("ras: groups of several ranks are read, as NCCL printed them before 2.26") {
  const RasState state = compared(kNoJson + kOldMismatch, kNoJson + kOldMismatch);
  CHECK(state.behind == Ranks{2, 5});
  CHECK(state.launched == 12);
  CHECK(state.launched_by_behind == 0);
}

TEST_CASE("ras: JSON has each rank's counts") {
  const std::string behind =
      json(json_rank(0, 50, 2) + "," + json_rank(1, 50, 2) + "," + json_rank(2, 49, 2));
  const RasState state = compared(behind, behind);
  CHECK(state.behind == Ranks{2});
  CHECK(state.members[2].pid == 52);
  CHECK(state.launched == 50);

  const std::string other = json(json_rank(0, 50, 2) + "," + json_rank(1, 49, 3) + "," + json_rank(2, 50, 2));
  CHECK(compared(other, other).different == Ranks{1});
  CHECK(compared(other, behind).has_moved);

  const std::string equal = json(json_rank(0, 50, 2) + "," + json_rank(1, 50, 2) + "," + json_rank(2, 50, 2));
  const RasState same = compared(equal, equal);
  CHECK(same.has_counts);
  CHECK(same.behind.empty());
  CHECK(same.different.empty());
}

TEST_CASE("ras: JSON reports missing ranks, and why") {
  const std::string missing = R"({"rank": 2, "host": "10.0.0.2", "pid": 52, "cuda_dev": 0, "nvml_dev": 0,
      "status": {"unresponsive": true, "considered_dead": false}})";
  const std::string text = json(json_rank(0, 50, 2) + "," + json_rank(1, 50, 2), missing);
  const RasState state = compared(text, text);
  CHECK(state.lost == Ranks{2});
  CHECK_FALSE(state.is_dead);
}

TEST_CASE(
    "ras: an answer that is not from RAS, or has no status, is rejected; a truncated status is not an "
    "error") {
  CHECK_THROWS_AS(parse_ras("HTTP/1.1 400 Bad Request\n"), Error);
  CHECK_THROWS_AS(parse_ras("SERVER PROTOCOL 2\nOK"), Error);
  CHECK_THROWS_AS(parse_ras(kOk), Error);
  const std::string whole = kOk + mismatch("6649"), dead = kOk + kDead;
  for (size_t length = kOk.size() + 1; length < whole.size(); ++length)
    CHECK_NOTHROW(parse_ras(whole.substr(0, length)));
  for (size_t length = kOk.size() + 1; length < dead.size(); ++length)
    CHECK_NOTHROW(parse_ras(dead.substr(0, length)));
}

}  // namespace ras_test
