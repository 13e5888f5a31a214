// A pod's program runs as the same user as its pod's files, so it can write, remove and replace them.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"
#include "local/shim/pod_folder.h"
#include "support/eventually.h"

namespace forged_files_test {

using namespace kml;
using namespace kml::local;
namespace fs = std::filesystem;

namespace {

/// With this policy, a lost pod is not a failure of its job, as in jobs that kml creates.
const char* const kNoneCounts = R"({"backoffLimit": 0, "podFailurePolicy": {"rules": [{"action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}})";
/// With this policy, a lost pod is a failure of its job.
const char* const kAllCount = R"({"backoffLimit": 0, "podFailurePolicy": {"rules": []}})";

struct Forger : NodeFixture {
  /// Runs a job with a pod that records its start and waits for the file "go". Returns once the pod is
  /// running.
  void run_job(const char* policy, const std::string& end = "") {
    create_job("job",
               "echo x >> " + file("runs") + "; until [ -e " + file("go") + " ]; do sleep 0.01; done; " + end,
               policy);
    REQUIRE(turn_until([&] { return content("runs") == "x\n" && phase_of(pod()) == "Running"; }));
    files.path = pod_folder(folder.path(), uid_of(pod())).path;
    shim = read_claim(files).owner;
    REQUIRE(shim > 0);
  }
  void turn_some() {
    int turns = 50;
    turn_until([&] { return turns-- == 0; });
  }
  PodFolder files;
  pid_t shim = 0;
};

}  // namespace

TEST_CASE_FIXTURE(
    Forger, "forged_files: the next server finds a pod again, even if its claim or its folder is gone") {
  run_job(kAllCount);
  SUBCASE("the claim is removed") {
    fs::remove(files.claim());
  }
  SUBCASE("the folder is renamed") {
    fs::rename(files.path, folder.path() / "away");
  }
  crash_and_restart();
  turn_some();
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return finished("job"); }));
  CHECK(content("runs") == "x\n");
}

TEST_CASE_FIXTURE(
    Forger,
    "forged_files: a pod that ran without its claim is lost with its shim, and is not started again") {
  run_job(kAllCount);
  fs::remove(files.claim());
  SUBCASE("") {}
  SUBCASE("the status is missing too") {
    fs::remove(files.status());
  }
  ::kill(shim, SIGKILL);
  REQUIRE(turn_until([&] { return finished("job"); }));
  CHECK(string_at(pod(), {"status", "reason"}) == "SupervisorLost");
  CHECK(content("runs") == "x\n");
}

TEST_CASE_FIXTURE(Forger,
                  "forged_files: a pod has ended when its shim has ended, whatever the status file says") {
  run_job(kAllCount, "exit 3");
  {
    const Fd status(::open(files.status().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    const std::string line = "{\"phase\": \"Succeeded\"}\n";
    REQUIRE(::write(status.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  }
  SUBCASE("") {}
  SUBCASE("the next server agrees") {
    crash_and_restart();
  }
  turn_some();
  CHECK(phase_of(pod()) == "Running");
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return finished("job"); }));
  CHECK(failure_reason("job") == "BackoffLimitExceeded");
}

TEST_CASE_FIXTURE(
    Forger,
    "forged_files: if a forged claim names a process that is not a shim, that process gets no signal") {
  const pid_t other = ::fork();
  if (other == 0) {
    ::signal(SIGTERM, SIG_DFL);
    for (;;) ::pause();
  }
  server.reset();
  const PodFolder forged = pod_folder(folder.path(), "forged");
  fs::create_directories(forged.path);
  write_file_atomically(forged.claim(), std::to_string(other));
  const Fd held(::open(forged.claim().c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(held.get(), LOCK_EX | LOCK_NB) == 0);
  begin();
  CHECK(turn_until([&] { return !fs::exists(forged.path); }));
  CHECK(::waitpid(other, nullptr, WNOHANG) == 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_CASE_FIXTURE(Forger, "forged_files: a lost pod that was being stopped is not replaced") {
  run_job(kNoneCounts);
  SUBCASE("at its deadline") {
    server->store.modify(local::kinds::pod, "default", name_of(pod()),
                         [](Json& next) { next["spec"]["activeDeadlineSeconds"] = 1; });
    fs::remove(files.status());
    REQUIRE(turn_until([&] { return finished("job"); }));
    CHECK(string_at(pod(), {"status", "reason"}) == "DeadlineExceeded");
  }
  SUBCASE("by cancelling its job") {
    server->store.modify(local::kinds::job, "default", "job", [](Json& next) {
      next["metadata"]["annotations"][std::string(api::kCancelled)] = "2026-01-01T00:00:00Z";
    });
    ::kill(shim, SIGKILL);
    REQUIRE(turn_until([&] { return finished("job"); }));
  }
  CHECK(pods().size() == 1);
  CHECK(content("runs") == "x\n");
}

TEST_CASE_FIXTURE(
    Forger,
    "forged_files: a pod is stopped even if its program has made a folder in place of the stop file") {
  run_job(kAllCount);
  SUBCASE("stop") {
    fs::create_directories(files.stop() / "full");
  }
  SUBCASE("stop.tmp") {
    fs::create_directories(files.path / "stop.tmp" / "full");
  }
  server->store.modify(local::kinds::pod, "default", name_of(pod()),
                       [](Json& next) { mark_deleted(next, system_clock().now()); });
  REQUIRE(turn_until([&] { return finished("job"); }));
}

}  // namespace forged_files_test
