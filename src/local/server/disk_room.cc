#include "local/server/disk_room.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 1s;
// Controllers retry each second. If none was refused for this long, the disk has space again.
constexpr auto kRecovery = 3s;
// Enough for a job's objects, its events and the first lines of its log.
constexpr uint64_t kLeast = 64 << 10;

/// The free bytes that this user may use. Only root may use a file system's reserved blocks.
uint64_t free_bytes(const std::filesystem::path& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return kLeast;
  return uint64_t{disk.f_frsize} * (::geteuid() == 0 ? disk.f_bfree : disk.f_bavail);
}

}  // namespace

DiskRoom::DiskRoom(EventLoop& loop, const Store& store, std::filesystem::path folder,
                   std::function<bool()> is_awaited)
    : loop_(loop), store_(store), folder_(std::move(folder)), is_awaited_(std::move(is_awaited)) {}

const std::string& DiskRoom::problem() {
  look();
  if (is_awaited_() || !problem_.empty()) look_later();
  return problem_;
}

void DiskRoom::look_later() {
  if (std::exchange(will_look_, true)) return;
  loop_.after(kPause, [this] {
    will_look_ = false;
    problem();
  });
}

void DiskRoom::look() {
  if (is_full() != problem_.empty()) return;
  problem_ = problem_.empty() ? fmt::format(
                                    "the disk of {0} is full: jobs keep running, but the server records "
                                    "their end, and accepts new jobs, only when the disk has space again; "
                                    "free some space (df -h {0} shows how much is left)",
                                    folder_.string())
                              : "";
  changed_();
}

bool DiskRoom::is_full() {
  const auto now = std::chrono::steady_clock::now();
  if (store_.refused_writes() != seen_refusals_) full_until_ = now + kRecovery;
  seen_refusals_ = store_.refused_writes();
  return now < full_until_ || free_bytes(folder_) < kLeast;
}

}  // namespace kml::local
