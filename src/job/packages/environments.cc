#include "job/packages/environments.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFacts = "kml-environment.json";
constexpr std::string_view kBuilding = ".building-";
/// The prefix in the names of damaged environments that were replaced while jobs used them.
constexpr std::string_view kReplaced = ".damaged-";

/// Takes a lock that in_pod.py also uses. Empty if that fails, for example because another process holds the
/// lock.
Fd lock_now(const fs::path& file) {
  Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  return fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(fd) : Fd();
}

/// Whether another process holds the lock.
bool is_held(const fs::path& file) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
}

fs::path used_file(const fs::path& store, const std::string& id) {
  return store / ("." + id + ".used");
}

Time changed_at(const fs::path& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 ? Time(std::chrono::seconds(info.st_mtime)) : Time();
}

/// Deletes a tree whose folders may be read-only.
void remove_tree(const fs::path& root) {
  std::error_code ignored;
  ::chmod(root.c_str(), 0700);
  for (auto at = fs::recursive_directory_iterator(root, ignored); at != fs::recursive_directory_iterator();
       at.increment(ignored))
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) ::chmod(at->path().c_str(), 0700);
  fs::remove_all(root, ignored);
}

/// Moves the environment away first, so that no job finds a part of it.
void remove_environment(const fs::path& store, const std::string& id) {
  const fs::path away = store / (std::string(kBuilding) + id + "-removed");
  std::error_code failed;
  fs::rename(store / id, away, failed);
  if (failed) throw system_error("cannot delete " + (store / id).string(), failed.value());
  remove_tree(away);
}

/// Deletes the folder if an interrupted build has left it behind, or if it is a replaced environment that no
/// job uses.
void remove_leftover(const fs::path& store, const std::string& folder) {
  const bool is_replaced = folder.starts_with(kReplaced);
  if (!is_replaced && !folder.starts_with(kBuilding)) return;
  const std::string rest = folder.substr((is_replaced ? kReplaced : kBuilding).size()),
                    id = rest.substr(0, rest.find('-'));
  if (const Fd lock = lock_now(is_replaced ? used_file(store, id) : store / ("." + id + ".lock")))
    remove_tree(store / folder);
}

/// The names that in_pod.py gives to environments. The store may have other folders.
bool is_id(const std::string& name) {
  constexpr size_t kDigits = 32;
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::vector<std::string> names_in(const fs::path& store) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(store, missing)) names.push_back(entry.path().filename());
  return names;
}

}  // namespace

std::vector<Environment> environments_in(const fs::path& store) {
  std::vector<Environment> found;
  for (const std::string& id : names_in(store)) {
    if (!is_id(id)) continue;
    const Json record = Json::parse(read_file_if_exists(store / id / kFacts).value_or(""), nullptr, false);
    if (!record.is_object()) continue;
    const std::string python = string_at(record, {"facts", "python"});
    const fs::path used = used_file(store, id);
    found.push_back({id, python.substr(0, python.find(' ')), string_at(record, {"facts", "lock"}),
                     int_at(record, {"packages"}), int_at(record, {"bytes"}), changed_at(used), is_held(used),
                     object_at(record, {"versions"})});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.used > b.used; });
  return found;
}

std::vector<Environment> remove_unused(const fs::path& store, std::chrono::seconds unused_for) {
  std::vector<Environment> removed;
  for (Environment& each : environments_in(store)) {
    if (system_clock().now() - each.used < unused_for) continue;
    // in_pod.py waits for this lock before it looks for the environment.
    const Fd lock = lock_now(used_file(store, each.id));
    if (!lock) continue;
    remove_environment(store, each.id);
    removed.push_back(std::move(each));
  }
  for (const std::string& name : names_in(store)) remove_leftover(store, name);
  return removed;
}

}  // namespace kml::packages
