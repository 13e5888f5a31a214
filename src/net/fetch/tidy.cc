#include "kml/net/fetch/tidy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "net/fetch/names.h"

namespace kml::fetch {

namespace fs = std::filesystem;

namespace {

std::optional<Time> changed_at(const fs::path& file) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0) return {};
  return Time(std::chrono::seconds(info.st_mtime));
}

/// Takes the lock of the processes that fetch into the folder; empty if one of these processes holds the
/// lock. On file systems without locks, only the folder's age decides.
std::optional<Fd> lock_now(const fs::path& folder) {
  Fd lock(::open(beside(folder, kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return {};
  return lock;
}

std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (auto at = fs::recursive_directory_iterator(folder, ignored); at != fs::recursive_directory_iterator();
       at.increment(ignored)) {
    const std::uintmax_t size = at->is_regular_file(ignored) ? at->file_size(ignored) : 0;
    if (!ignored) bytes += size;
  }
  return bytes;
}

class Tidying {
 public:
  Tidying(const fs::path& store, std::chrono::seconds unused_for, const std::set<std::string>& kept,
          bool is_dry_run)
      : store_(store), oldest_(system_clock().now() - unused_for), kept_(kept), is_dry_run_(is_dry_run) {}

  std::vector<Tidied> run() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(store_))
      names.push_back(entry.path().filename());
    for (const std::string& name : names) {
      if (name.starts_with(kKeyStart)) remove_data(name);
      if (name.starts_with("." + std::string(kKeyStart))) remove_leftover(name);
    }
    return std::move(removed_);
  }

 private:
  bool is_old(const fs::path& file) const {
    const std::optional<Time> changed = changed_at(file);
    return changed && *changed < oldest_;
  }

  void remove_data(const std::string& name) {
    const fs::path folder = store_ / name, mark = beside(folder, kUsed);
    if (kept_.contains(name) || !is_old(changed_at(mark) ? mark : folder)) return;
    const std::optional<Fd> lock = lock_now(folder);
    if (!lock) return;
    const std::string source = read_file_if_exists(mark).value_or(name);
    removed_.push_back({source.empty() ? name : source, size_of(folder)});
    if (is_dry_run_) return;
    // The folder is renamed first, so that no pod finds it half deleted.
    const fs::path away = beside(folder, std::string(kPart) + "-removed");
    std::error_code failed;
    fs::rename(folder, away, failed);
    if (failed) throw system_error("cannot delete " + folder.string(), failed.value());
    fs::remove_all(away, failed);
    fs::remove(mark, failed);
  }

  /// Removes a folder such as ".KEY.part" if it is old, unless a pod is fetching into it.
  void remove_leftover(const std::string& name) {
    const size_t end = name.find(kPart);
    if (end == std::string::npos || !is_old(store_ / name)) return;
    const std::optional<Fd> lock = lock_now(store_ / name.substr(1, end - 1));
    if (!lock) return;
    removed_.push_back({"an incomplete download, " + name, size_of(store_ / name)});
    std::error_code ignored;
    if (!is_dry_run_) fs::remove_all(store_ / name, ignored);
  }

  const fs::path& store_;
  const Time oldest_;
  const std::set<std::string>& kept_;
  const bool is_dry_run_;
  std::vector<Tidied> removed_;
};

}  // namespace

std::vector<Tidied> remove_unused(const fs::path& store, std::chrono::seconds unused_for,
                                  const std::set<std::string>& kept, bool is_dry_run) {
  return Tidying(store, unused_for, kept, is_dry_run).run();
}

}  // namespace kml::fetch
