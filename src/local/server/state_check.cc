#include "kml/local/daemon.h"

#include <fmt/format.h>

#include <functional>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "local/server/server_folder.h"
#include "local/shim/pod_folder.h"
#include "local/shim/status_file.h"
#include "local/store/store_recovery.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

/// Whether anything is there, including a link that leads nowhere or to itself.
bool is_there(const fs::path& file) {
  return fs::exists(fs::symlink_status(file));
}

/// A name such as "store.db.damaged-20261124-082531". A second one within the same second ends with "-2".
fs::path set_aside_name(const fs::path& file) {
  const std::string name = file.string() + ".damaged-" + file_name_time(rfc3339(system_clock().now()));
  fs::path free = name;
  for (int copy = 2; is_there(free); ++copy) free = fmt::format("{}-{}", name, copy);
  return free;
}

void rename_file(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::rename(from, to, failure);
  if (failure) throw system_error("cannot rename " + from.string(), failure.value());
}

std::vector<fs::path> pods_of(const ServerFolder& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(pods_folder(folder.path), ignored))
    found.push_back(entry.path());
  return found;
}

/// Why `read` fails; empty if it succeeds.
std::string problem_of(const std::function<void()>& read) {
  try {
    read();
    return {};
  } catch (const Error& error) {
    return error.why.empty() ? error.message : error.why;
  }
}

std::string identity_damage(const ServerFolder& folder) {
  return problem_of([&] { read_credentials(folder); });
}

StateFinding check_store(const ServerFolder& folder, bool in_use) {
  if (in_use)
    return {StateFinding::not_checked, "store",
            "in use by the running server; stop it first: kml local down"};
  const std::string damage = damage_of_store(folder.store());
  if (damage.empty() && !fs::exists(folder.store())) return {StateFinding::right, "store", "none yet"};
  if (damage.empty()) return {StateFinding::right, "store", folder.store()};
  return {StateFinding::damaged, "store", folder.store().string() + ": " + damage};
}

StateFinding check_identity(const ServerFolder& folder) {
  if (!is_there(folder.identity())) return {StateFinding::right, "identity", "none yet"};
  const std::string damage = identity_damage(folder);
  if (damage.empty()) return {StateFinding::right, "identity", "key, certificate and token exist"};
  return {StateFinding::damaged, "identity", folder.identity().string() + ": " + damage};
}

StateFinding check_pods(const ServerFolder& folder) {
  const std::vector<fs::path> pods = pods_of(folder);
  std::string damage;
  for (const fs::path& path : pods)
    if (has_broken_status(PodFolder{path}))
      damage += (damage.empty() ? "" : ", ") + PodFolder{path}.status().string();
  if (damage.empty()) return {StateFinding::right, "pods", fmt::format("{} folders", pods.size())};
  return {StateFinding::damaged, "pods", "unreadable: " + damage};
}

/// Moves the folders of pods that are not in the store to the folder `to`. Otherwise the server would remove
/// these folders with their logs.
size_t keep_unknown_pods(const ServerFolder& folder, const std::set<std::string>& known, const fs::path& to) {
  size_t kept = 0;
  for (const fs::path& path : pods_of(folder)) {
    // Leaves pods whose processes are still running. The server ends those, because no object describes them
    // any more.
    if (known.contains(path.filename()) || read_claim(PodFolder{path}).state == Claim::held) continue;
    if (fs::exists(PodFolder{path}.owner())) continue;  // the pod of this folder was deleted earlier
    make_private_folder(to);
    rename_file(path, to / path.filename());
    ++kept;
  }
  return kept;
}

void repair_store(const ServerFolder& folder, std::vector<std::string>& done) {
  const std::string damage = damage_of_store(folder.store());
  if (damage.empty()) return;
  const fs::path fresh = folder.path / "store.db.recovered", aside = set_aside_name(folder.store());
  for (const char* ending : {"", "-wal"}) fs::remove(fresh.string() + ending);
  const RecoveredStore recovered = recover_store(folder.store(), fresh);
  for (const char* ending : {"-wal", ""})
    if (is_there(folder.store().string() + ending))
      rename_file(folder.store().string() + ending, aside.string() + ending);
  rename_file(fresh, folder.store());
  done.push_back(fmt::format("the store was damaged ({}): {} objects were readable and are in a new store{}",
                             damage, recovered.objects,
                             is_there(aside) ? "; the damaged store is kept as " + aside.string() : ""));
  const fs::path pods = set_aside_name(pods_folder(folder.path));
  if (const size_t kept = keep_unknown_pods(folder, recovered.pods, pods); kept > 0)
    done.push_back(
        fmt::format("{} pods could not be recovered; their logs are kept in {}", kept, pods.string()));
}

void repair_identity(const ServerFolder& folder, std::vector<std::string>& done) {
  if (!is_there(folder.identity()) || identity_damage(folder).empty()) return;
  const fs::path aside = set_aside_name(folder.identity());
  rename_file(folder.identity(), aside);
  load_or_make_credentials(folder);
  done.push_back("the identity was damaged and has been created again; the damaged file is kept as " +
                 aside.string() +
                 "; copies of the old kubeconfig no longer work; for a new one: kml local kubeconfig");
}

void repair_pods(const ServerFolder& folder, std::vector<std::string>& done) {
  for (const fs::path& path : pods_of(folder)) {
    const PodFolder pod{path};
    if (!has_broken_status(pod)) continue;
    const fs::path aside = set_aside_name(pod.status());
    rename_file(pod.status(), aside);
    done.push_back("the status of a pod was unreadable, so its result is unknown; the file is kept as " +
                   aside.string());
  }
}

}  // namespace

std::vector<StateFinding> check_state(const fs::path& asked) {
  const ServerFolder folder = server_folder(asked);
  if (!fs::exists(folder.path))
    return {{StateFinding::right, "state", "none yet in " + folder.path.string()}};
  const std::optional<Fd> lock = take_server_lock(folder);
  return {check_store(folder, !lock), check_identity(folder), check_pods(folder)};
}

std::vector<std::string> repair_state(const fs::path& asked) {
  const ServerFolder folder = server_folder(asked);
  std::vector<std::string> done;
  if (!fs::exists(folder.path)) return done;
  const std::optional<Fd> lock = take_server_lock(folder);
  if (!lock)
    throw Error(ErrorCode::failure, "cannot repair the state while the embedded server is running",
                "it is process " + std::to_string(server_lock_holder(folder)),
                "kml local down, then kml local repair; running jobs are not affected");
  repair_store(folder, done);
  repair_identity(folder, done);
  repair_pods(folder, done);
  return done;
}

}  // namespace kml::local
