#include <doctest/doctest.h>
#include <sys/stat.h>

#include <thread>

#include "kml/base/process.h"
#include "local/kubelet/cgroup_site.h"
#include "local/shim/log_writer.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim_fixture.h"

namespace shim_limits_test {

using namespace kml;
using namespace kml::local;

/// Forks at most 300 times, so that the machine is not in danger if the limit does not work.
constexpr const char* kForker = R"(
import os, time
count = 0
try:
    while count < 300:
        if os.fork() == 0:
            time.sleep(1000)
        count += 1
except OSError as error:
    print("after", count, error.strerror)
)";

TEST_CASE_FIXTURE(ShimFixture, "shim: a pod cannot exceed its limit of processes, and can still be stopped") {
  plan.uid = "shim-test-" + std::to_string(::getpid());
  plan.cgroups = find_cgroup_roots();
  if (!has_controller(plan.cgroups, "pids")) return;
  plan.max_processes = 40;
  add({"python3", "-c", kForker});
  CHECK(run() == "Succeeded");
  CHECK(log() == "stdout F after 39 Resource temporarily unavailable\n");
  // The cgroups are removed with the shim.
  eventually([&] { return ::kill(pid, 0) != 0 || ::waitpid(pid, nullptr, WNOHANG) == pid; });
  pid = 0;
  for (const CgroupRoot& root : plan.cgroups)
    CHECK_FALSE(std::filesystem::exists(root.path + "/kml-pod-" + plan.uid));
}

TEST_CASE_FIXTURE(ShimFixture,
                  "shim: root's pod above its limit of processes is killed if no cgroup limits it" *
                      doctest::skip(::geteuid() != 0)) {
  plan.max_processes = 100;
  add({"python3", "-c", std::string(kForker) + "time.sleep(1000)"});
  CHECK(run() == "Failed");
  CHECK(terminated()["exitCode"] == 137);
  CHECK(string_at(terminated(), {"message"}).starts_with("killed: the pod had "));
  CHECK(string_at(terminated(), {"message"}).ends_with(" processes and threads, but its limit is 100"));
}

TEST_CASE_FIXTURE(ShimFixture, "shim: with cgroup version 2, a program starts inside its cgroup") {
  const std::string text = read_file_if_exists("/proc/self/mountinfo").value_or("");
  for (CgroupRoot& root : possible_cgroup_roots(read_file("/proc/self/cgroup"), text)) {
    if (!root.is_unified || ::access(root.path.c_str(), W_OK) != 0) continue;
    root.controllers.clear();
    plan.uid = "shim-test-" + std::to_string(::getpid());
    plan.cgroups = {root};
    add_shell("grep -o '0::.*kml-pod-shim-test' /proc/self/cgroup | grep -o 'kml.*'");
    CHECK(run() == "Succeeded");
    CHECK(log() == "stdout F kml-pod-shim-test\n");
    return;
  }
}

TEST_CASE_FIXTURE(ShimFixture, "shim: only the container that reaches its memory limit is OOMKilled") {
  plan.uid = "shim-test-" + std::to_string(::getpid());
  plan.cgroups = find_cgroup_roots();
  if (!has_controller(plan.cgroups, "memory")) return;
  constexpr int64_t kLimit = 64 << 20;
  const std::vector<std::string> argv = {"python3", "-c", "b = bytearray(200 << 20); print(len(b))"};
  add(argv, "limited").memory_limit = kLimit;
  add(argv, "free");
  CHECK(run() == "Failed");
  CHECK(terminated(0)["exitCode"] == 137);
  CHECK(terminated(0)["reason"] == "OOMKilled");
  CHECK(terminated(0)["message"] == "the container reached its memory limit of 67108864 bytes");
  CHECK(terminated(1)["exitCode"] == 0);
}

TEST_CASE("memory_kills: only the kernel's new kills are reported") {
  TemporaryFolder folder;
  const auto file = folder.path() / "vmstat";
  write_file_atomically(file, "pgfault 7\noom_kill 3\ndrop_pagecache 0\n");
  const MemoryKills kills(file);
  CHECK(kills.explanation().empty());
  write_file_atomically(file, "pgfault 7\noom_kill 4\n");
  CHECK(kills.explanation().find("the kernel killed 1 process on this machine") != std::string::npos);
  CHECK(MemoryKills(folder.path() / "none").explanation().empty());
}

}  // namespace shim_limits_test
