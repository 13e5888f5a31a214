#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "pod/hang/hung_job.h"

namespace verdict_test {

namespace {

struct Case {
  const char* name;
  std::function<void(Job&)> plant;
  HangState state;
  HangCause cause;
  std::vector<size_t> ranks = {};
};

const Case kCases[] = {
    {"a process stopped by a signal",
     [](Job& job) { job.rank(2).processes[0].state = 'T', job.rank(2).processes[0].state_before = 'T'; },
     HangState::stuck,
     HangCause::stopped,
     {2}},
    {"stopped a moment ago: that needs no patience",
     [](Job& job) {
       job.silent_for(seconds(1));
       job.rank(2).processes[0].state = 'T', job.rank(2).processes[0].state_before = 'T';
     },
     HangState::stuck,
     HangCause::stopped,
     {2}},
    {"a killed rank whose pod has ended",
     [](Job& job) { job.rank(1).runs = false, job.dies(1, EndKind::killed, minutes(5)); },
     HangState::stuck,
     HangCause::dead_peer,
     {1}},
    {"a killed rank that runs again, for whose first life the others wait",
     [](Job& job) { job.rank(1).restarts = 1, job.dies(1, EndKind::killed, minutes(5)); },
     HangState::stuck,
     HangCause::dead_peer,
     {1}},
    {"a rank that failed by an exception of its own",
     [](Job& job) {
       job.rank(1).restarts = 1, job.dies(1, EndKind::own_error, minutes(5), {"ValueError: no such batch"});
     },
     HangState::stuck,
     HangCause::exception,
     {1}},
    {"an exception in a program that still runs",
     [](Job& job) { job.rank(3).log.error = "ValueError: no such batch", job.rank(3).processes = {kFutex}; },
     HangState::stuck,
     HangCause::exception,
     {3}},
    {"a rank whose program was killed below its shell",
     [](Job& job) { job.rank(3).log.was_killed = true, job.rank(3).processes = {kSleep}; },
     HangState::stuck,
     HangCause::dead_peer,
     {3}},
    {"a program that has ended in a container that runs",
     [](Job& job) { job.rank(3).processes[0].state = 'Z'; },
     HangState::stuck,
     HangCause::dead_peer,
     {3}},
    {"a read that does not return",
     [](Job& job) { job.rank(0).processes = {kPipe}; },
     HangState::stuck,
     HangCause::input_stall,
     {0}},
    {"a wait for a disk",
     [](Job& job) {
       job.rank(0).processes[0] = process("nfs_wait_bit_killable"), job.rank(0).processes[0].state = 'D';
     },
     HangState::stuck,
     HangCause::input_stall,
     {0}},
    {"a data loader, by its stack",
     [](Job& job) {
       job.each([](RankLook& one) { one.processes = {kFutex}, one.stacks = {kAllReduce}; });
       job.rank(2).stacks = {kLoader};
     },
     HangState::stuck,
     HangCause::input_stall,
     {2}},
    {"all ranks wait for a shared disk",
     [](Job& job) { job.each([](RankLook& one) { one.processes = {kPipe}; }); },
     HangState::stuck,
     HangCause::input_stall,
     {0, 1, 2, 3}},
    {"a rank that sleeps",
     [](Job& job) { job.rank(1).processes = {kSleep}; },
     HangState::stuck,
     HangCause::behind,
     {1}},
    {"a rank in another collective, by stacks",
     [](Job& job) {
       job.each([](RankLook& one) { one.stacks = {kAllReduce}; });
       job.rank(1).stacks = {kBroadcast};
     },
     HangState::stuck,
     HangCause::mismatch,
     {1}},
    {"all in the same collective",
     [](Job& job) { job.each([](RankLook& one) { one.stacks = {kAllReduce}; }); }, HangState::stuck,
     HangCause::mismatch},
    {"all in the same collective, using a processor each",
     [](Job& job) { job.each([](RankLook& one) { one.stacks = {kAllReduce}, one.processes[0].cpu = 1; }); },
     HangState::stuck, HangCause::mismatch},
    {"RAS: a rank is behind", [](Job& job) { job.add_ras(3, 0); }, HangState::stuck, HangCause::behind, {3}},
    {"RAS: a rank is behind, and reads",
     [](Job& job) { job.add_ras(3, 0), job.rank(3).processes = {kPipe}; },
     HangState::stuck,
     HangCause::input_stall,
     {3}},
    {"RAS: the others use a processor each while they wait for the rank that is behind",
     [](Job& job) {
       job.add_ras(3, 0);
       job.each([](RankLook& one) { one.processes[0].cpu = 1; });
       job.rank(3).processes = {kPipe};
     },
     HangState::stuck,
     HangCause::input_stall,
     {3}},
    {"RAS: a rank launched something else",
     [](Job& job) { job.add_ras(-1, 0, 2); },
     HangState::stuck,
     HangCause::mismatch,
     {2}},
    {"RAS: all launched the same", [](Job& job) { job.add_ras(-1, 0); }, HangState::stuck,
     HangCause::mismatch},
    {"RAS: a dead process",
     [](Job& job) {
       job.add_ras(-1, 0);
       job.look.ras_later->communicators[0].ranks[2].state = RasRank::State::dead;
     },
     HangState::stuck,
     HangCause::dead_peer,
     {2}},
    {"a rank that printed fewer steps",
     [](Job& job) { job.rank(2).log.step = job.rank(2).log.step_later = 90; },
     HangState::stuck,
     HangCause::behind,
     {2}},
    {"nothing differs", [](Job&) {}, HangState::stuck, HangCause::unknown},
    {"nothing can be seen but the logs",
     [](Job& job) { job.each([](RankLook& one) { one.processes.clear(); }); }, HangState::stuck,
     HangCause::unknown},

    {"steps", [](Job& job) { job.rank(0).log.step_later = 103; }, HangState::moves, HangCause::none},
    {"steps of a job with a stopped helper",
     [](Job& job) {
       job.rank(0).log.step_later = 103;
       job.rank(2).processes[0].state = 'T', job.rank(2).processes[0].state_before = 'T';
     },
     HangState::moves, HangCause::none},
    {"RAS: counts that differ, and move", [](Job& job) { job.add_ras(3, 5); }, HangState::moves,
     HangCause::none},
    {"RAS: the rank that is behind works",
     [](Job& job) { job.add_ras(3, 0), job.rank(3).processes[0].cpu = 0.9; },
     HangState::quiet,
     HangCause::slow_rank,
     {3}},
    {"a rank that works",
     [](Job& job) { job.rank(1).processes[0].cpu = 0.9; },
     HangState::quiet,
     HangCause::slow_rank,
     {1}},
    {"all ranks work, and none has printed a line for long",
     [](Job& job) { job.each([](RankLook& one) { one.processes[0].cpu = 0.9; }); },
     HangState::quiet,
     HangCause::none,
     {0, 1, 2, 3}},
    {"a rank that works, and whose lines are a minute old",
     [](Job& job) { job.silent_for(seconds(60)), job.rank(1).processes[0].cpu = 0.9; },
     HangState::moves,
     HangCause::slow_rank,
     {1}},
    {"a rank that works on a machine that is too busy for it",
     [](Job& job) { job.rank(1).processes[0].state = job.rank(1).processes[0].state_before = 'R'; },
     HangState::quiet,
     HangCause::slow_rank,
     {1}},
    {"a rank that reads much",
     [](Job& job) { job.rank(1).processes = {kPipe}, job.rank(1).processes[0].read = 9 << 20; },
     HangState::quiet,
     HangCause::slow_rank,
     {1}},
    {"a checkpoint, by the stack",
     [](Job& job) { job.rank(0).stacks = {kSave}, job.rank(0).processes[0].written = 9 << 20; },
     HangState::moves,
     HangCause::checkpoint,
     {0}},
    {"a checkpoint, by the log",
     [](Job& job) { job.rank(0).log.is_saving = true, job.rank(0).processes[0].written = 9 << 20; },
     HangState::moves,
     HangCause::checkpoint,
     {0}},
    {"a checkpoint that is being flushed to the disk",
     [](Job& job) { job.rank(0).processes[0] = process("folio_wait_bit", "fsync"); },
     HangState::quiet,
     HangCause::checkpoint,
     {0}},
    {"a first step that compiles",
     [](Job& job) {
       job.each([](RankLook& one) { one.log = {.last_line = "start", .last_at = kNow - minutes(3)}; });
       for (RankLook& one : job.look.ranks)
         one.processes.push_back({.pid = 9, .parent = 7, .name = "ptxas", .state = 'R', .cpu = 1});
     },
     HangState::moves,
     HangCause::compiling,
     {0, 1, 2, 3}},
    {"lines of a program that prints no steps",
     [](Job& job) {
       job.each(
           [](RankLook& one) { one.log = {.last_line = "epoch done", .last_at = kNow, .new_lines = 2}; });
     },
     HangState::moves, HangCause::none},
    {"a slow step that sleeps, as long as such steps take",
     [](Job& job) {
       job.each([](RankLook& one) { one.processes = {kSleep}, one.log.longest_pause = minutes(4); });
     },
     HangState::quiet, HangCause::none},
    {"silent for a moment", [](Job& job) { job.silent_for(seconds(4)), job.rank(1).processes = {kSleep}; },
     HangState::quiet, HangCause::none},
    {"no lines so far",
     [](Job& job) { job.each([](RankLook& one) { one.log = {}, one.started = kNow - seconds(20); }); },
     HangState::quiet, HangCause::none},
    {"a rank that has just died: its peers may not know yet",
     [](Job& job) {
       job.silent_for(seconds(2)), job.rank(1).restarts = 1, job.dies(1, EndKind::killed, seconds(2));
     },
     HangState::quiet, HangCause::none},
    {"a rank that has just died, and whose next pod starts",
     [](Job& job) {
       job.silent_for(seconds(2)), job.rank(1).runs = false, job.rank(1).starts_again = true;
       job.dies(1, EndKind::killed, seconds(2));
     },
     HangState::quiet, HangCause::none},
    {"a death long ago, after which the others continued",
     [](Job& job) {
       job.silent_for(seconds(4)), job.rank(1).restarts = 1, job.dies(1, EndKind::killed, minutes(60));
     },
     HangState::quiet, HangCause::none},
    {"a clock that is ahead", [](Job& job) { job.silent_for(-seconds(30)); }, HangState::quiet,
     HangCause::none},
};

}  // namespace

TEST_CASE("hang: of each of these jobs, the verdict is the expected one") {
  for (const Case& each : kCases) {
    CAPTURE(each.name);
    Job job;
    each.plant(job);
    const HangVerdict found = verdict(job.look);
    CAPTURE(found.summary);
    CHECK(name_of(found.state) == name_of(each.state));
    CHECK(name_of(found.cause) == name_of(each.cause));
    CHECK(found.ranks == each.ranks);
    CHECK(found.doing.size() == 4);
    CHECK(found.next.empty() == (found.state == HangState::moves));
  }
}

TEST_CASE("hang: if NCCL RAS on the node belongs to another job, its answers are ignored") {
  Job job;
  job.add_ras(3, 5);
  job.each([](RankLook& one) { one.addresses = {"192.168.0.9"}; });
  CHECK(verdict(job.look).state == HangState::stuck);
}

TEST_CASE("hang: a death that the other ranks survived is not the cause of a later hang") {
  Job job;
  job.rank(1).restarts = 1;
  job.dies(1, EndKind::killed, minutes(60));
  job.rank(2).processes = {kPipe};
  const HangVerdict found = verdict(job.look);
  CHECK(found.cause == HangCause::input_stall);
  CHECK(found.ranks == std::vector<size_t>{2});
}

TEST_CASE("hang: if pods share an address and process ids, the rank's number decides") {
  Job job;
  job.add_ras(3, 0);
  job.each([](RankLook& one) { one.addresses = {"127.0.0.1"}; });
  for (RasAnswer* answer : {&*job.look.ras, &*job.look.ras_later})
    for (RasRank& rank : answer->communicators[0].ranks) rank.host = "127.0.0.1";
  CHECK(verdict(job.look).ranks == std::vector<size_t>{3});
}

TEST_CASE("hang: if several ranks share a pod, each of them is mapped to this pod") {
  Job job;
  job.add_ras(-1, 0);
  for (RasAnswer* answer : {&*job.look.ras, &*job.look.ras_later}) {
    RasCommunicator& communicator = answer->communicators[0];
    communicator.size = 8;
    communicator.ranks.clear();
    for (int i = 0; i < 8; ++i)
      communicator.ranks.push_back({.rank = i, .counts = {{"AllReduce", i == 5 ? 8 : 9}}});
  }
  CHECK(verdict(job.look).ranks == std::vector<size_t>{2});
}

TEST_CASE("hang: a job of one pod can be stuck too") {
  Job job;
  job.look.ranks.resize(1);
  job.rank(0).rank.reset();
  job.rank(0).label = "x7f2q";
  job.rank(0).processes = {kPipe};
  const HangVerdict found = verdict(job.look);
  CHECK(found.cause == HangCause::input_stall);
  CHECK(contains(found.summary, "pod x7f2q: waits for input"));
  CHECK(found.next.front() == "kml shell bert/x7f2q");
}

TEST_CASE("hang: the summary says who waits for whom, and the next command can be pasted") {
  Job job;
  job.add_ras(3, 0);
  job.rank(3).processes = {kPipe};
  const HangVerdict found = verdict(job.look);
  CHECK(found.summary == "ranks 0-2 wait in AllReduce #6650; rank 3 launched only 6649");
  CHECK(found.cause_text == "input stall on rank 3");
  CHECK(found.confidence == Confidence::high);
  CHECK(found.sources == std::vector<std::string>{"NCCL RAS", "processes"});
  CHECK(found.next == std::vector<std::string>{"kml shell bert/3", "kml logs bert --rank 3 --since 10m"});
  Job stopped;
  stopped.rank(0).processes[0].state = 'T', stopped.rank(0).processes[0].state_before = 'T';
  CHECK(verdict(stopped.look).next.front() == "kml exec bert/0 -- sh -c 'kill -CONT 7'");
}

}  // namespace verdict_test
