#include "local/kubelet/cgroup_site.h"

#include <doctest/doctest.h>

namespace cgroup_site_test {

using namespace kml::local;

namespace {

std::string shown(const std::vector<CgroupRoot>& roots) {
  std::string text;
  for (const CgroupRoot& root : roots) {
    text += root.path;
    for (const std::string& controller : root.controllers) text += " " + controller;
    text += root.is_unified ? " v2\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("cgroup_site: version 1 has a folder for each controller") {
  const std::string own = "9:name=systemd:/\n8:pids:/\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n";
  const std::string mounts =
      "30 25 0:26 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
      "31 25 0:27 / /sys/fs/cgroup/pids rw,nosuid shared:9 - cgroup cgroup rw,pids\n"
      "32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
  CHECK(shown(possible_cgroup_roots(own, mounts)) ==
        "/sys/fs/cgroup/pids pids\n/sys/fs/cgroup/memory/a/b memory\n/sys/fs/cgroup/cpu,cpuacct cpu\n");
}

TEST_CASE("cgroup_site: version 2 has the process's own cgroup and those above it") {
  const std::string mounts =
      "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
  CHECK(shown(possible_cgroup_roots("0::/user.slice/app.slice/kml.scope\n", mounts)) ==
        "/sys/fs/cgroup/user.slice/app.slice/kml.scope pids memory cpu v2\n"
        "/sys/fs/cgroup/user.slice/app.slice pids memory cpu v2\n"
        "/sys/fs/cgroup/user.slice pids memory cpu v2\n"
        "/sys/fs/cgroup pids memory cpu v2\n");
}

TEST_CASE("cgroup_site: a container that sees part of the hierarchy finds its own folder in it") {
  CHECK(shown(possible_cgroup_roots("5:pids:/docker/c1\n",
                                    "1 2 0:3 /docker/c1 /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n")) ==
        "/sys/fs/cgroup/pids pids\n");
}

TEST_CASE("cgroup_site: is empty without cgroups") {
  CHECK(possible_cgroup_roots("", "").empty());
  CHECK(possible_cgroup_roots("0::/a\n", "1 2 8:1 / / rw - ext4 /dev/sda1 rw\nbroken").empty());
}

}  // namespace cgroup_site_test
