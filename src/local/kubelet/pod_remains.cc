#include "local/kubelet/pod_remains.h"

#include <signal.h>

#include <algorithm>
#include <map>
#include <utility>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "local/kubelet/pod_status.h"
#include "local/kubelet/shim_process.h"
#include "local/shim/pod_folder.h"
#include "local/shim/status_file.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// How many deleted pods of an owner keep their logs. Only matters for jobs that fail every second for hours.
constexpr size_t kMostKept = 10'000;

/// The uid of the pod's controller; empty if it has none, or the controller was deleted.
std::string living_owner(const Store& store, const Json& pod) {
  const Json* reference = api::controller_of(pod);
  const api::ResourceKind* kind =
      reference ? api::find_kind(api::api_version_of(*reference), api::kind_name(*reference)) : nullptr;
  if (!kind) return {};
  const ObjectPtr owner = store.get(*kind, namespace_of(pod), api::entry_name(*reference));
  return owner && uid_of(*owner) == api::entry_uid(*reference) ? uid_of(*owner) : std::string();
}

}  // namespace

void PodRemains::keep_only_logs(const Json& pod) {
  std::error_code ignored;
  fs::remove_all(pod_folder(state_, uid_of(pod)).volumes(), ignored);
}

void PodRemains::pod_is_gone(const Json& pod) {
  const PodFolder folder = pod_folder(state_, uid_of(pod));
  const std::string owner = living_owner(store_, pod);
  std::error_code ignored;
  if (owner.empty()) {
    fs::remove_all(folder.path, ignored);
  } else if (fs::exists(folder.path, ignored)) {
    keep_only_logs(pod);
    replace_file(folder.owner(), owner + "\n" + api::full_name_of(pod));
    keep(owner, folder.path);
  }
}

void PodRemains::owner_is_gone(const std::string& uid) {
  const auto node = kept_.extract(uid);
  std::error_code ignored;
  if (node)
    for (const fs::path& folder : node.mapped()) fs::remove_all(folder, ignored);
}

/// Keeps the logs in the folder, and removes the oldest ones, so that a job that is preempted repeatedly does
/// not fill the disk.
void PodRemains::keep(const std::string& owner, const fs::path& folder) {
  std::deque<fs::path>& folders = kept_[owner];
  folders.push_back(folder);
  std::error_code ignored;
  for (; folders.size() > kMostKept; folders.pop_front()) fs::remove_all(folders.front(), ignored);
}

void PodRemains::recover(const std::set<std::string>& known) {
  std::error_code ignored;
  std::multimap<fs::file_time_type, std::pair<std::string, fs::path>> kept;
  for (const auto& entry : fs::directory_iterator(pods_folder(state_), ignored)) {
    if (known.contains(entry.path().filename())) continue;
    std::string owner = read_pod_file(PodFolder{entry.path()}.owner()).value_or("");
    owner.resize(std::min(owner.find('\n'), owner.size()));
    if (known.contains(owner))
      kept.emplace(entry.last_write_time(ignored), std::pair(owner, entry.path()));
    else
      clean_folder(entry.path());
  }
  for (const auto& [time, folder] : kept) keep(folder.first, folder.second);
}

/// Ends the processes of a pod that is not in the store, and removes its folder.
void PodRemains::clean_folder(const fs::path& path) {
  const PodFolder folder{path};
  const Claim claim = read_claim(folder);
  if (claim.state == Claim::none) take_claim(folder);
  if (claim.state == Claim::held || !says_ended(read_status(folder).value_or(Json()))) {
    if (auto shim = living_shim(folder, claim)) {
      write_stop_order(folder, {});
      shim->signal(SIGTERM);
      return void(loop_.after(100ms, [this, path] { clean_folder(path); }));
    }
    if (kill_leftovers(folder, path.filename(), cgroups_))
      return void(loop_.after(kDying, [this, path] { clean_folder(path); }));
  }
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace kml::local
