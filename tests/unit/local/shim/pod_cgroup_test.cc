#include "local/shim/pod_cgroup.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local/kubelet/cgroup_site.h"
#include "support/temporary_folder.h"

namespace pod_cgroup_test {

using namespace kml;
using namespace kml::local;
namespace fs = std::filesystem;

namespace {

/// A process that does not belong to the pod.
struct Bystander {
  Bystander() {
    if (pid == 0)
      for (;;) ::pause();
  }
  ~Bystander() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  pid_t pid = ::fork();
};

}  // namespace

TEST_CASE("pod_cgroup: a folder that a pod's program created and recorded is not taken for a cgroup") {
  TemporaryFolder temporary;
  const PodFolder folder{temporary.path()};
  const Bystander bystander;
  fs::path forged;
  SUBCASE("with the right name") {
    forged = temporary.path() / "kml-pod-uid";
  }
  SUBCASE("with another name") {
    forged = temporary.path() / "other";
  }
  fs::create_directory(forged);
  write_file_atomically(forged / "cgroup.procs", std::to_string(bystander.pid) + "\n");
  write_file_atomically(forged / "pids.max", "max");
  REQUIRE(replace_file(folder.cgroups(), forged.string() + "\n"));
  CHECK_FALSE(end_cgroups(folder, "uid"));
  CHECK(read_file(forged / "pids.max") == "max");
}

TEST_CASE("pod_cgroup: of the recorded cgroups, only the pod's own are killed, even if the record is gone") {
  const std::vector<CgroupRoot> roots = find_cgroup_roots();
  if (roots.empty()) return;
  TemporaryFolder temporary;
  const PodFolder folder{temporary.path()};
  const std::string uid = "test-" + std::to_string(::getpid());
  const fs::path own = fs::path(roots[0].path) / ("kml-pod-" + uid);
  const fs::path other = fs::path(roots[0].path) / ("kml-pod-other-" + uid);
  for (const fs::path& cgroup : {own, other}) REQUIRE(fs::create_directory(cgroup));
  SUBCASE("recorded") {
    REQUIRE(replace_file(folder.cgroups(), own.string() + "\n" + other.string() + "\n"));
    CHECK_FALSE(end_cgroups(folder, uid));
  }
  SUBCASE("the record is gone") {
    CHECK_FALSE(end_cgroups(folder, uid, roots));
  }
  CHECK_FALSE(fs::exists(own));
  CHECK(fs::exists(other));
  for (const fs::path& cgroup : {own, other}) ::rmdir(cgroup.c_str());
}

}  // namespace pod_cgroup_test
