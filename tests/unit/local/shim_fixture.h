#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "local/kubelet/shim_process.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/status_file.h"
#include "support/eventually.h"
#include "support/temporary_folder.h"

namespace kml::local {

/// A pod that the real binary's shim runs.
class ShimFixture {
 public:
  ShimFixture() {
    plan.uid = "uid", plan.namespace_name = "ns", plan.name = "pod", plan.restart_policy = "Never";
  }
  ~ShimFixture() {
    if (pid <= 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    while (end_cgroups(folder, plan.uid)) ::usleep(1000);
  }

  ContainerPlan& add(std::vector<std::string> argv, std::string name = "main") {
    return plan.containers.emplace_back(ContainerPlan{
        std::move(name), std::move(argv), {"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, "/", {}});
  }
  ContainerPlan& add_shell(std::string script, std::string name = "main") {
    return add({"sh", "-c", std::move(script)}, std::move(name));
  }

  void start() { pid = ShimProcess::spawn(KML_BINARY, folder, plan).pid(); }
  void stop(const std::string& grace) {
    write_file_atomically(folder.stop(), grace);
    ::kill(pid, SIGTERM);
  }

  Json status() const { return read_status(folder).value_or(Json::object()); }
  std::string phase() const { return string_at(status(), {"phase"}); }
  bool ended() const { return phase() == "Succeeded" || phase() == "Failed"; }
  /// Runs the pod to its end. Returns its phase.
  std::string run() {
    start();
    eventually([&] { return ended(); });
    return phase();
  }
  Json terminated(size_t container = 0) const {
    return status()["containerStatuses"][container]["state"]["terminated"];
  }
  /// The lines of the log, without times.
  std::string log(const std::string& container = "main", int restart = 0) const {
    auto text = read_file_if_exists(folder.logs(container) / (std::to_string(restart) + ".log"));
    constexpr size_t kStamp = 31, kHead = kStamp + 9;  // "TIME stdout F "
    std::string lines;
    std::map<std::string, std::string> begun;  // a line has several parts if its end was written late
    for (size_t begin = 0; text && begin < text->size();) {
      const size_t end = text->find('\n', begin);
      const std::string stream = text->substr(begin + kStamp, 7);
      std::string& line = begun[stream];
      line += text->substr(begin + kHead, end - begin - kHead);
      if ((*text)[begin + kHead - 2] == 'F') lines += stream + "F " + std::exchange(line, "") + "\n";
      begin = end + 1;
    }
    return lines;
  }

  TemporaryFolder temporary;
  PodFolder folder{temporary.path()};
  PodPlan plan;
  pid_t pid = 0;
};

}  // namespace kml::local
