#include "kml/job/first_error/first_error.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>

#include "job/first_error/explain_by_log.h"
#include "kml/base/text.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace first_error_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kRemote = "torch.distributed.DistBackendError: NCCL error: remote process exited";

Json pod(int index, int code, const std::string& finished, const std::string& reason = "Error") {
  const std::string name = "bert-" + std::to_string(index);
  const Json terminated = {
      {"exitCode", code}, {"reason", reason}, {"finishedAt", finished}, {"containerID", name}};
  return {{"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"uid", name},
            {"labels",
             {{"job-name", "bert"}, {"batch.kubernetes.io/job-completion-index", std::to_string(index)}}},
            {"ownerReferences", controlled_by("bert", "j")}}},
          {"spec", {{"nodeName", "n"}, {"containers", {{{"name", "main"}}}}}},
          {"status",
           {{"phase", code == 0 ? "Succeeded" : "Failed"},
            {"containerStatuses",
             {{{"name", "main"}, {"containerID", name}, {"state", {{"terminated", terminated}}}}}}}}};
}

const Json kJob = {{"apiVersion", "batch/v1"},
                   {"kind", "Job"},
                   {"metadata", {{"name", "bert"}, {"namespace", "team"}, {"uid", "j"}}},
                   {"spec", {{"completions", 8}}}};

const Time kStart = *parse_rfc3339("2026-01-01T00:00:10Z");

struct Gang {
  std::vector<Json> pods;
  Tails tails;
  int ranks_per_pod = 1;

  void dies(int index, int code, std::vector<std::string> lines = {}, int after_ms = 0,
            const std::string& reason = "Error", const std::string& finished = "2026-01-01T00:00:10Z") {
    pods.push_back(pod(index, code, finished, reason));
    for (std::string& line : lines)
      tails[{"bert-" + std::to_string(index), "main", 0}].push_back(
          {kStart + std::chrono::milliseconds(after_ms), std::move(line)});
  }
  int culprit() const {
    const auto deaths = explained(deaths_of(kJob, pods), tails, ranks_per_pod);
    const Death* first = died_first(deaths);
    return first ? first->rank.value_or(-1) : -2;
  }
};

}  // namespace

TEST_CASE("first_error: surviving ranks of a gang are not blamed, however they end") {
  Gang gang;
  gang.dies(0, 1, {"step 7", kRemote}, 20);
  gang.dies(1, 143, {"step 7"}, -900);
  gang.dies(3, 134, {"Watchdog caught collective operation timeout"}, 5);
  gang.dies(4, 1, {"[rank4]: RuntimeError: [1] is setting up: Connection closed by peer"}, 1);
  SUBCASE("an exception") {
    gang.dies(2, 1, {"Traceback (most recent call last):", "ValueError: no such batch"}, 30);
  }
  SUBCASE("a colored exception") {
    gang.dies(2, 1, {"Traceback", "\x1b[1;35mValueError\x1b[0m: \x1b[35mno such batch\x1b[0m"}, 30);
  }
  SUBCASE("a crash") {
    gang.dies(2, 139, {"step 7"}, 60);
  }
  SUBCASE("out of memory") {
    gang.dies(2, 137, {}, 0, "OOMKilled");
  }
  SUBCASE("killed by a user") {
    gang.dies(2, 137, {"step 7"}, 80);
  }
  SUBCASE("an exit code without a message") {
    gang.dies(2, 7);
  }
  CHECK(gang.culprit() == 2);
}

TEST_CASE("first_error: of two errors, the one whose line has the earlier time comes first") {
  Gang gang;
  gang.dies(0, 1, {"RuntimeError: wrong shape"}, 90);
  gang.dies(1, 1, {"ValueError: no such batch"}, 10);
  CHECK(gang.culprit() == 1);
}

TEST_CASE("first_error: a rank's end is never explained by a much later failure of another rank") {
  Gang gang;
  gang.dies(0, 7, {}, 0, "Error", "2026-01-01T00:00:10Z");
  gang.dies(1, 1, {"ValueError: late"}, 60'000, "Error", "2026-01-01T00:01:10Z");
  CHECK(gang.culprit() == 0);
}

TEST_CASE("first_error: a rank that lost its peer is not blamed, even if it ended long before the cause") {
  Gang gang;
  gang.dies(0, 1, {kRemote}, 0);
  gang.dies(1, 1, {"ValueError: and then a slow end"}, -10, "Error", "2026-01-01T00:00:40Z");
  CHECK(gang.culprit() == 1);
}

TEST_CASE("first_error: an evicted rank was killed, and the eviction is the reason") {
  Gang gang;
  gang.dies(0, 1, {"step 7", kRemote}, 20);
  gang.dies(2, 143, {"step 7"}, 0);
  gang.dies(1, 143, {"step 7"}, 90);
  gang.pods[2]["status"]["conditions"] = {{{"type", "DisruptionTarget"},
                                           {"status", "True"},
                                           {"reason", "TerminationByKubelet"},
                                           {"message", "no memory"}}};
  CHECK(gang.culprit() == 1);
  const auto deaths = deaths_of(kJob, gang.pods);
  CHECK(deaths[2].kind == EndKind::killed);
  CHECK(deaths[2].exit.reason.find("no memory") != std::string::npos);
}

TEST_CASE("first_error: if no rank ended badly, no error is found") {
  Gang gang;
  gang.dies(0, 0, {"ValueError: caught"});
  CHECK(gang.culprit() == -2);
}

TEST_CASE("first_error: ranks that share a pod are recognized by the prefixes of their lines") {
  Gang gang;
  gang.ranks_per_pod = 8;
  gang.dies(1, 1,
            {"[default0]:" + kRemote, "[default2]:step 7", "[default3]:ValueError: no such batch",
             "[default1]:BrokenPipeError"});
  CHECK(gang.culprit() == 11);
}

TEST_CASE("first_error: in a chain of exceptions, the last one ended the program") {
  const char *kFrom = "The above exception was the direct cause of the following exception:",
             *kDuring = "During handling of the above exception, another exception occurred:",
             *kTraceback = "Traceback (most recent call last):";
  const std::pair<std::vector<std::string>, const char*> kCases[] = {
      {{kTraceback, "KeyError: 'k'", "", kFrom, "", kTraceback, "  File \"a.py\"", "ValueError: bad"},
       "ValueError: bad"},
      {{"KeyError: 'k'", kDuring, kTraceback, "    Error: x", "my.Odd: 1"}, "my.Odd: 1"},
      {{"KeyError: 1", kFrom, kTraceback, "TypeError: 2", kDuring, kTraceback, "OSError: 3"}, "OSError: 3"},
      {{"KeyError: 1", kFrom}, "KeyError: 1"},
      {{"KeyError: 1", "ValueError: 2"}, "KeyError: 1"}};
  for (const auto& [lines, told] : kCases) {
    Gang gang;
    gang.dies(0, 1, lines);
    CHECK(explained(deaths_of(kJob, gang.pods), gang.tails, 1)[0].told == told);
  }
}

TEST_CASE("first_error: an exception that the program caught did not end it") {
  struct Row {
    int code;
    std::vector<std::string> lines;
    const char* told;
  };
  const std::string traceback = "Traceback (most recent call last):", missing = "FileNotFoundError: '/cache'";
  const Row kRows[] = {
      {2, {traceback, missing, "training without it"}, ""},
      {137, {traceback, missing, "training without it"}, ""},
      {2, {traceback, missing, "training without it", "CUDA error: 700"}, "CUDA error: 700"},
      {2, {traceback, missing, "without it", traceback, "ValueError: x", ""}, "ValueError: x"},
      {2, {traceback, missing, "", " "}, missing.c_str()},
      {1, {traceback, missing, "wandb: done"}, missing.c_str()}};
  for (const auto& [code, lines, told] : kRows) {
    Gang gang;
    gang.dies(0, code, lines);
    CHECK(explained(deaths_of(kJob, gang.pods), gang.tails, 1)[0].told == told);
  }
}

TEST_CASE(
    "first_error: only a signal in the status is reported as one, since a program may exit with 137 by "
    "itself") {
  struct Row {
    int code, signal;
    const char* words;
    EndKind kind;
  };
  const Row kRows[] = {{137, 9, "exit code 137 (signal 9)", EndKind::killed},
                       {137, 0, "exit code 137 (as after signal 9)", EndKind::killed},
                       {130, 0, "exit code 130 (as after signal 2)", EndKind::stopped},
                       {139, 0, "exit code 139 (as after signal 11)", EndKind::own_error},
                       {128, 0, "exit code 128", EndKind::unexplained},
                       {255, 0, "exit code 255", EndKind::unexplained},
                       {7, 0, "exit code 7", EndKind::unexplained}};
  for (const auto& [code, signal, words, kind] : kRows) {
    Gang gang;
    gang.dies(0, code);
    if (signal != 0) gang.pods[0]["status"]["containerStatuses"][0]["state"]["terminated"]["signal"] = signal;
    const Death death = deaths_of(kJob, gang.pods).at(0);
    CHECK(in_words(death.exit) == words);
    CHECK(death.kind == kind);
  }
}

TEST_CASE("first_error: torchrun's report names the ranks that failed, and the traceback of the root cause") {
  Gang gang;
  gang.dies(0, 1,
            {"train.py FAILED", "Failures:", "[1]:", "  rank      : 1 (local_rank: 1)",
             "  exitcode  : 1 (pid: 11)", "  traceback : To enable traceback see: https://pytorch.org",
             "[2]:", "  rank      : 5 (local_rank: 5)", "  exitcode  : -15 (pid: 12)",
             "  traceback : Signal 15 (SIGTERM) received by PID 12", "-------",
             "Root Cause (first observed failure):", "[0]:", "  rank      : 2 (local_rank: 2)",
             "  exitcode  : 1 (pid: 10)",
             "  traceback : Traceback (most recent call last):", "    ValueError: no such batch", "======="});
  CHECK(gang.culprit() == 2);
  const auto deaths = explained(deaths_of(kJob, gang.pods), gang.tails, 8);
  REQUIRE(deaths.size() == 3);
  const Death* first = died_first(deaths);
  CHECK(first->container_code == 1);
  CHECK(first->lines.back().text == "    ValueError: no such batch");
}

TEST_CASE("first_error: an exit code that torchrun cannot have written is treated as a plain failure") {
  for (const char* code : {"-2147483648", "-128"}) {
    Gang gang;
    gang.dies(0, 1,
              {"Failures:", "Root Cause (first observed failure):", "[0]:", "  rank      : 2 (local_rank: 2)",
               "  exitcode  : " + std::string(code) + " (pid: 10)"});
    const auto deaths = explained(deaths_of(kJob, gang.pods), gang.tails, 8);
    REQUIRE(deaths.size() == 1);
    CHECK(deaths[0].exit.code == 1);
    CHECK(deaths[0].exit.signal == 0);
  }
}

TEST_CASE("first_error: pods that were deleted unseen are counted, since one of them may have died first") {
  FakeTransport transport;
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  Json job = kJob;
  job["status"] = {{"failed", 8}};
  Json victim = pod(0, 1, "2026-01-01T00:00:10Z");
  const Json culprit = pod(2, 139, "2026-01-01T00:00:10Z"), other = pod(3, 0, "2026-01-01T00:00:10Z");
  const std::string pods = "/api/v1/namespaces/team/pods";
  const auto first_of = [&](const std::vector<Json>& left, const Evidence& evidence) {
    transport.answer("GET", pods, {{"metadata", {}}, {"items", left}});  // the pods are read only once
    if (evidence.failed_pods.empty())
      transport.stub("GET", pods + "/bert-0/log", {.pieces = {"2026-01-01T00:00:10Z " + kRemote}});
    else
      transport.answer("GET", pods + "/bert-0/log", {});
    const auto first = first_error_of(client, job, evidence);
    REQUIRE(first);
    return *first;
  };
  SUBCASE("the rank that failed first is gone") {
    const FirstError first = first_of({victim}, {});
    CHECK(first.death.rank == 0);
    CHECK(first.lost_pods == 7);
  }
  SUBCASE("the failure was recorded in time") {
    Evidence seen{.failed_pods = {culprit}};
    for (int i = 0; i < 8; ++i)
      seen.tails[{"bert-" + std::to_string(i), "main", 0}] = {{kStart, i == 2 ? "step 7" : kRemote}};
    const FirstError first = first_of({victim}, seen);
    CHECK(first.death.rank == 2);
    CHECK(first.lost_pods == 0);
  }
  SUBCASE("the log of a pod that succeeded does not replace that of a failed one") {
    const Evidence logs{.tails = {{{"bert-0", "main", 0}, {{kStart, kRemote}}},
                                  {{"bert-3", "main", 0}, {{kStart, "step 7"}}}}};
    transport.answer("GET", pods + "/bert-3/log", {});
    CHECK(first_of({victim, other}, logs).lost_pods == 7);
  }
  SUBCASE("a PyTorchJob does not count the pods that its operator deleted") {
    const Json worker = {{"template", {{"spec", {{"containers", {{{"name", "main"}}}}}}}}};
    job = {{"apiVersion", "kubeflow.org/v1"},
           {"kind", "PyTorchJob"},
           {"metadata", {{"name", "bert"}, {"namespace", "team"}, {"uid", "j"}}},
           {"spec", {{"pytorchReplicaSpecs", {{"Worker", worker}}}}},
           {"status", {{"replicaStatuses", {{"Worker", {{"failed", 1}}}}}}}};
    job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 8;
    victim["metadata"]["labels"] = {{"training.kubeflow.org/job-name", "bert"},
                                    {"training.kubeflow.org/replica-type", "worker"},
                                    {"training.kubeflow.org/replica-index", "0"}};
    victim["metadata"]["ownerReferences"] = controlled_by("bert", "j", "kubeflow.org/v1", "PyTorchJob");
    CHECK(first_of({victim}, {}).lost_pods == 7);
  }
}

namespace {

/// The text that is stored for a line that arrives in these pieces.
std::string kept_of(const std::vector<std::string>& pieces) {
  struct Nowhere : LogSink {
    void lines(std::span<const LogLine>) override {}
    void event(const LogEvent&) override {}
  } nowhere;
  EvidenceKeeper keeper(nowhere);
  LogSource source;
  source.pod_uid = "p";
  source.container = "main";
  for (size_t i = 0; i < pieces.size(); ++i) {
    const LogLine line{&source, kStart, {}, pieces[i], i == 0, i + 1 == pieces.size()};
    keeper.lines({&line, 1});
  }
  return keeper.evidence().tails.at({"p", "main", 0}).at(0).text;
}

}  // namespace

TEST_CASE("first_error: the last state of a progress bar is kept, even if its line arrived in pieces") {
  CHECK(kept_of({"  1%|# |\r 53%|##|\r100%|###|"}) == "100%|###|");
  CHECK(kept_of({"  1%|# |\r 53", "%|##|\r", "100%|###|"}) == "100%|###|");
  CHECK(kept_of({"  1%|# |\r", " 53%|##|\r", "100%|###|\r"}) == "100%|###|");
  CHECK(kept_of({"loss ", "0.5"}) == "loss 0.5");
  CHECK(kept_of({std::string(5000, 'x'), std::string(5000, 'y') + "\r99%"}) == "99%");
  CHECK(kept_of({std::string(5000, 'x'), "tail"}).size() == 1024);
}

namespace {

/// The verdict about a failed job, after its logs were read. The pod "bert-2" is the one that died first.
Verdict explained_verdict(const std::vector<std::string>& lines, const std::string& command = {},
                          const Json& object = {}, CauseCode code = CauseCode::exit_code) {
  Cause cause = make_cause(code, "exit code 1", "pod bert-0: exit code 1; no retries were requested");
  cause.failure = "pod bert-0: exit code 1";
  cause.remedies = {{"read the end of its log", "kml logs bert --first-error"}};
  Verdict verdict;
  verdict.job.pods = 8;
  verdict.job.command = command;
  verdict.object = object;
  verdict.causes = {cause};
  Gang gang;
  gang.dies(2, 1, lines);
  const std::vector<Death> deaths = explained(deaths_of(kJob, gang.pods), gang.tails, 1);
  const Death* first = died_first(deaths);
  REQUIRE(first);
  explain_by_log(FirstError{*first}, KML_SOURCE_DIR, verdict);
  return verdict;
}

}  // namespace

TEST_CASE("first_error: the verdict names the rank and its line, but not a log that is already shown") {
  const Cause cause = explained_verdict({"step 7", "ValueError: no such batch"}).causes[0];
  CHECK(cause.summary ==
        "rank 2 (pod bert-2) died first: exit code 1: ValueError: no such batch; no retries were requested");
  CHECK(cause.brief == "ValueError: no such batch");
  CHECK(cause.remedies.empty());
  CHECK(explained_verdict({"step 7"}, "", {}, CauseCode::evicted).causes[0].summary ==
        "pod bert-0: exit code 1; no retries were requested");  // the node's reason
  using Clash = std::array<const char*, 4>;                     // the error, the file, and the words for both
  for (const auto& [error, file, words, fix] : std::vector<Clash>{
           {"IsADirectoryError", "metrics/val", "metric val and a metric named val/…", "metrics"},
           {"NotADirectoryError", "metrics/val/acc", "metric val/acc and a metric named val", "metrics"},
           {"FileExistsError", "params/opt", "parameter opt and a parameter named opt/…", "parameters"},
           {"NotADirectoryError", "tags/a/b", "tag a/b and a tag named a", "tags"}}) {
    const Cause mlflow =
        explained_verdict(
            {fmt::format("{}: [Errno 20] x: '/home/a/.local/state/kml/tracking/9e/0/97/{}'", error, file)})
            .causes[0];
    CHECK(mlflow.summary.ends_with(std::string("; an MLflow folder cannot hold both the ") + words));
    CHECK(mlflow.remedies.at(0).what.starts_with(std::string("rename one of the ") + fix));
  }
  const std::vector<std::string> many(40, "step");
  CHECK(explained_verdict(many).causes[0].remedies.at(0).command == "kml logs bert --first-error");
  CHECK(explained_verdict({"exec /train: exec format error"}).causes[0].code == CauseCode::image_platform);
}

TEST_CASE("first_error: if a file exists here and the job lacks it, the fix is --code") {
  struct Case {
    const char *line, *command;
    bool is_here;
  };
  for (const Case& one : std::vector<Case>{
           {"sh: can't open 'CMakeLists.txt': No such file or directory", "sh CMakeLists.txt", true},
           {"sh: 0: cannot open CMakeLists.txt: No such file", "sh CMakeLists.txt", true},
           {"python3: can't open file '/work/src/main.cc': [Errno 2] No such file or directory",
            "python3 src/main.cc", true},
           {"/bin/sh: ./CMakeLists.txt: not found", "sh -c './CMakeLists.txt'", true},
           {"Error: Cannot find module '/app/CMakeLists.txt'", "node CMakeLists.txt", true},
           {"sh: can't open 'nowhere.sh': No such file or directory", "sh nowhere.sh", false},
           {"CMakeLists.txt: 1: x: not found", "sh CMakeLists.txt", false},
           {"CMakeLists.txt: line 3: foo: command not found", "bash CMakeLists.txt", false},
           {"CMakeLists.txt: 2: cannot open nowhere: No such file", "sh CMakeLists.txt", false},
           {"FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", "python3 CMakeLists.txt",
            false}}) {
    CAPTURE(one.line);
    const Cause cause = explained_verdict({one.line}, one.command).causes[0];
    const bool names_code = !cause.remedies.empty() && contains(cause.remedies[0].command, "--code .");
    CHECK(names_code == one.is_here);
  }
}

}  // namespace first_error_test
