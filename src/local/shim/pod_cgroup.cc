#include "local/shim/pod_cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::local {

std::string read_kernel_file(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[1 << 14];
  for (ssize_t got; file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  return text;
}

namespace fs = std::filesystem;

namespace {

/// Writes a value to a file in a cgroup. The value must be written by one call, and the file must not be
/// replaced.
bool put(const fs::path& file, const std::string& value) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

void set(const fs::path& file, const std::string& value) {
  if (!put(file, value))
    throw system_error(fmt::format("cannot write {} to {}", value, file.string()), errno);
}

void make_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    throw system_error("cannot make the cgroup " + path.string(), errno);
}

/// The pod's cgroup and the cgroups in it, with the innermost first.
std::vector<fs::path> with_inner(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) found.push_back(entry.path());
  found.push_back(folder);
  return found;
}

/// Retries, because a process that has ended may stay in the cgroup for a moment.
void remove_cgroup(const fs::path& folder) {
  constexpr int kAttempts = 50;
  for (const fs::path& inner : with_inner(folder))
    for (int i = 0; i < kAttempts && ::rmdir(inner.c_str()) != 0 && errno == EBUSY; ++i) ::usleep(2000);
}

bool has(const CgroupRoot& root, std::string_view controller) {
  return std::find(root.controllers.begin(), root.controllers.end(), controller) != root.controllers.end();
}

std::string cgroup_name(const std::string& pod_uid) {
  return "kml-pod-" + pod_uid;
}

bool has_limit(const ContainerPlan& container) {
  return container.memory_limit > 0;
}

/// Opens the folder if it is in the cgroup file system. That file system has no links which could lead
/// elsewhere.
Fd open_cgroup(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct statfs info {};
  const bool is_cgroup = fd && ::fstatfs(fd.get(), &info) == 0 &&
                         (info.f_type == CGROUP_SUPER_MAGIC || info.f_type == CGROUP2_SUPER_MAGIC);
  return is_cgroup ? std::move(fd) : Fd();
}

/// Kills the processes in a single cgroup. Returns whether it had any.
bool kill_processes(const fs::path& folder) {
  bool any = false;
  for (const std::string& line : split(read_kernel_file(folder / "cgroup.procs"), '\n'))
    if (const int pid = std::atoi(line.c_str()); pid > 0) {
      ::kill(pid, SIGKILL);
      any = true;
    }
  return any;
}

}  // namespace

// A process that enters has to wait some milliseconds for all processors. A thread that moves itself does not
// (in Linux 5.5 and later; cgroup_procs_write_start() in kernel/cgroup/cgroup.c). In version 2, single
// threads cannot be moved.
bool enter(const CgroupEntrance& cgroup) {
  const char* file = cgroup.is_unified ? "cgroup.procs" : "tasks";
  const Fd members(::openat(cgroup.folder.get(), file, O_WRONLY | O_CLOEXEC));
  return members && ::write(members.get(), "0", 1) == 1;
}

PodCgroup::PodCgroup(const PodPlan& plan, const PodFolder& folder) {
  const std::string name = cgroup_name(plan.uid);
  std::string note;
  for (const CgroupRoot& root : plan.cgroups) note += root.path + "/" + name + "\n";
  // The cgroups are recorded before they are created, so that each existing one is recorded.
  if (!note.empty() && !replace_file(folder.cgroups(), note))
    throw system_error("cannot write " + folder.cgroups().string(), errno);
  for (const CgroupRoot& root : plan.cgroups) {
    try {
      make(root, name, plan);
    } catch (const Error& error) {
      // This error is rare, because the server has already tried to create a cgroup. Running the pod is more
      // important than limiting it.
      fmt::print(stderr, "pod {}: {}", name, describe(error));
    }
  }
}

PodCgroup::~PodCgroup() {
  for (const Made& made : pod_folders_) remove_cgroup(made.folder);
}

void PodCgroup::make(const CgroupRoot& root, const std::string& name, const PodPlan& plan) {
  const fs::path folder = fs::path(root.path) / name;
  const bool any_limit = std::any_of(plan.containers.begin(), plan.containers.end(), has_limit) ||
                         std::any_of(plan.init_containers.begin(), plan.init_containers.end(), has_limit);
  if (!any_limit && root.controllers == std::vector<std::string>{"memory"}) return;
  make_folder(folder);
  pod_folders_.push_back({folder, root.is_unified});
  if (has(root, "pids") && plan.max_processes > 0) {
    set(folder / "pids.max", std::to_string(plan.max_processes));
    limits_processes_ = true;
  }
  if (!has(root, "memory") || !any_limit) return;
  memory_ = folder;
  memory_is_unified_ = root.is_unified;
  for (const auto* group : {&plan.init_containers, &plan.containers})
    for (const ContainerPlan& container : *group)
      if (has_limit(container)) limited_.insert(container.name);
  // In version 2, a cgroup cannot have processes as well as controllers for the cgroups inside it.
  if (root.is_unified) set(folder / "cgroup.subtree_control", "+memory");
  for (const auto* group : {&plan.init_containers, &plan.containers})
    for (const ContainerPlan& container : *group) {
      if (!root.is_unified && !has_limit(container)) continue;
      make_folder(folder / container.name);
      if (has_limit(container)) limit_memory(folder / container.name, container, root.is_unified);
    }
}

/// Limits memory and swap together, as the kubelet does. With cgroup version 2, if the kernel kills one
/// process of a container, it kills all processes of the container.
void PodCgroup::limit_memory(const fs::path& folder, const ContainerPlan& container, bool is_unified) {
  const std::string limit = std::to_string(container.memory_limit);
  set(folder / (is_unified ? "memory.max" : "memory.limit_in_bytes"), limit);
  // Kernels without swap do not have this file.
  put(folder / (is_unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes"), is_unified ? "0" : limit);
  if (is_unified) put(folder / "memory.oom.group", "1");
}

std::vector<CgroupEntrance> PodCgroup::entrances(const ContainerPlan& container) const {
  std::vector<CgroupEntrance> found;
  for (const Made& made : pod_folders_) {
    fs::path folder = made.folder;
    if (folder == memory_ && (made.is_unified || limited_.contains(container.name))) folder /= container.name;
    Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) throw system_error("cannot open the cgroup " + folder.string(), errno);
    found.push_back({std::move(fd), made.is_unified});
  }
  return found;
}

std::string PodCgroup::memory_statistics(const ContainerPlan& container) const {
  if (!limited_.contains(container.name)) return {};
  return memory_ / container.name / (memory_is_unified_ ? "memory.events" : "memory.oom_control");
}

int64_t PodCgroup::peak_memory(const ContainerPlan& container) const {
  if (!limited_.contains(container.name)) return 0;
  // In version 2, this file exists since Linux 5.19.
  const fs::path file =
      memory_ / container.name / (memory_is_unified_ ? "memory.peak" : "memory.max_usage_in_bytes");
  return std::atoll(read_kernel_file(file).c_str());
}

bool end_cgroups(const PodFolder& folder, const std::string& pod_uid, const std::vector<CgroupRoot>& roots) {
  const std::string name = cgroup_name(pod_uid);
  std::set<fs::path> parents;
  for (const CgroupRoot& root : roots) parents.insert(root.path);
  for (const fs::path noted : split(read_pod_file(folder.cgroups()).value_or(""), '\n'))
    if (noted.is_absolute() && noted.filename() == name) parents.insert(noted.parent_path());
  bool any = false;
  for (const fs::path& parent : parents) {
    const Fd opened = open_cgroup(parent);
    if (!opened) continue;
    // Does not use the path, because part of it may have been replaced by a link.
    const fs::path cgroup = fs::path("/proc/self/fd") / std::to_string(opened.get()) / name;
    // Otherwise, each killed process would allow another one to fork.
    put(cgroup / "pids.max", "0");
    bool any_here = false;
    for (const fs::path& inner : with_inner(cgroup)) any_here |= kill_processes(inner);
    if (!any_here) remove_cgroup(cgroup);
    any |= any_here;
  }
  return any;
}

MemoryKills::MemoryKills(std::filesystem::path statistics)
    : statistics_(std::move(statistics)), before_(count()) {}

std::string MemoryKills::explanation() const {
  const uint64_t number = killed();
  if (number == 0) return {};
  return fmt::format(
      "killed by SIGKILL, perhaps for lack of memory: while it ran, the kernel killed {} process{} on this "
      "machine to free memory",
      number, number == 1 ? "" : "es");
}

uint64_t MemoryKills::count() const {
  constexpr std::string_view kName = "\noom_kill ";
  uint64_t value = 0;
  const std::string text = read_file_if_exists(statistics_).value_or("");
  if (const size_t at = text.find(kName); at != std::string::npos)
    std::from_chars(text.data() + at + kName.size(), text.data() + text.size(), value);
  return value;
}

}  // namespace kml::local
