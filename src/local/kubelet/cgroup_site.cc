#include "local/kubelet/cgroup_site.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "local/shim/pod_cgroup.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kControllers[] = {"pids", "memory", "cpu"};

struct CgroupMount {
  std::string root, point;           ///< the mounted part of the hierarchy, and the mount point
  std::vector<std::string> options;  ///< in version 1, the options include the controllers
  bool is_unified = false;
};

/// proc_pid_mountinfo(5): "ID PARENT DEVICE ROOT POINT OPTIONS [FIELDS] - TYPE SOURCE OPTIONS".
std::optional<CgroupMount> cgroup_mount(const std::string& line) {
  const size_t dash = line.find(" - ");
  if (dash == std::string::npos) return {};
  const std::vector<std::string> before = split(line.substr(0, dash), ' '),
                                 after = split(line.substr(dash + 3), ' ');
  if (before.size() < 6 || after.size() < 3 || !after[0].starts_with("cgroup")) return {};
  return CgroupMount{before[3], before[4], split(after[2], ','), after[0] == "cgroup2"};
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// The path of a cgroup in the file system. In a container, only part of the hierarchy may be visible.
fs::path seen_at(const CgroupMount& mount, const std::string& path) {
  const bool is_below = mount.root == "/" || path == mount.root || path.starts_with(mount.root + "/");
  const std::string rest = mount.root == "/" ? path : is_below ? path.substr(mount.root.size()) : "";
  const fs::path below = fs::path(rest).relative_path();
  return below.empty() ? fs::path(mount.point) : mount.point / below;
}

/// Whether a pod's program could enter the cgroup. Tries this with a child process.
bool can_enter(const fs::path& folder, bool is_unified) {
  const CgroupEntrance cgroup{Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), is_unified};
  const pid_t child = ::fork();
  if (child == 0) ::_exit(enter(cgroup) ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// A file that exists if a cgroup has the controller. Its name depends on the cgroup version.
std::string limit_file(std::string_view controller, bool is_unified) {
  if (controller == "pids") return "pids.max";
  if (controller == "memory") return is_unified ? "memory.max" : "memory.limit_in_bytes";
  return is_unified ? "cpu.weight" : "cpu.shares";
}

/// The root with only the controllers that a new child cgroup would have. Empty if no child can be created.
CgroupRoot tried(CgroupRoot root) {
  const fs::path trial = fs::path(root.path) / ("kml-trial-" + std::to_string(::getpid()));
  if (::mkdir(trial.c_str(), 0755) != 0) return {};
  std::erase_if(root.controllers, [&](const std::string& controller) {
    return ::access((trial / limit_file(controller, root.is_unified)).c_str(), W_OK) != 0;
  });
  if (!can_enter(trial, root.is_unified)) root.controllers.clear();
  ::rmdir(trial.c_str());
  return root;
}

int64_t number_in(const char* file) {
  int64_t number = 0;
  const std::string text = read_file_if_exists(file).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::vector<CgroupRoot> possible_cgroup_roots(const std::string& own, const std::string& mounts) {
  std::vector<CgroupMount> seen;
  for (const std::string& line : split(mounts, '\n'))
    if (auto mount = cgroup_mount(line)) seen.push_back(std::move(*mount));
  std::vector<CgroupRoot> roots;
  // proc_pid_cgroup(5): "ID:CONTROLLERS:PATH"; CONTROLLERS is empty for version 2.
  for (const std::string& line : split(own, '\n')) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::vector<std::string> names = split(line.substr(first + 1, second - first - 1), ',');
    const std::string path = line.substr(second + 1);
    for (const CgroupMount& mount : seen) {
      if (mount.is_unified && second == first + 1) {
        for (fs::path at = seen_at(mount, path);; at = at.parent_path()) {
          roots.push_back({at, {std::begin(kControllers), std::end(kControllers)}, true});
          if (at == mount.point || at == "/") break;
        }
        break;
      }
      std::vector<std::string> wanted;
      for (std::string_view controller : kControllers)
        if (!mount.is_unified && contains(names, controller) && contains(mount.options, controller))
          wanted.emplace_back(controller);
      if (wanted.empty()) continue;
      roots.push_back({seen_at(mount, path), std::move(wanted), false});
      break;
    }
  }
  return roots;
}

std::vector<CgroupRoot> find_cgroup_roots() {
  std::vector<CgroupRoot> roots;
  for (CgroupRoot& possible :
       possible_cgroup_roots(read_file_if_exists("/proc/self/cgroup").value_or(""),
                             read_file_if_exists("/proc/self/mountinfo").value_or(""))) {
    CgroupRoot root = tried(std::move(possible));
    // Uses each controller of the first root that has it. A root of version 2 must at least have "pids", the
    // most important one.
    std::erase_if(root.controllers, [&](const std::string& name) { return has_controller(roots, name); });
    if (root.is_unified && !contains(root.controllers, "pids")) continue;
    if (!root.controllers.empty()) roots.push_back(std::move(root));
  }
  return roots;
}

bool has_controller(const std::vector<CgroupRoot>& roots, std::string_view controller) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const CgroupRoot& root) { return contains(root.controllers, controller); });
}

int64_t default_max_processes() {
  constexpr int64_t kMost = 32768, kLeast = 1024;
  int64_t machine = 4 * kMost;
  for (const char* file : {"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"})
    if (const int64_t number = number_in(file); number > 0) machine = std::min(machine, number);
  return std::max(machine / 4, kLeast);
}

}  // namespace kml::local
