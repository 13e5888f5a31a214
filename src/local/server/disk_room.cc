#include "local/server/disk_room.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 1s;
// Controllers try again each second: where none of them was refused for so long, there is room again.
constexpr auto kRecovery = 3s;
// A job's objects, events and first lines.
constexpr uint64_t kLeast = 64 << 10;

/// Of those who may not use what a file system keeps for root, as much as they may use.
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
  problem_ = problem_.empty()
                 ? fmt::format(
                       "the disk of {0} is full: jobs go on, but their ends are recorded, and new jobs "
                       "taken, only when it has room again; free space there (df -h {0} shows how "
                       "much is left)",
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
