#include "local/server/disk_room.h"

#include <fmt/format.h>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 1s;
// If no write has failed for this long, the disk has space again, because controllers retry failed writes
// each second.
constexpr auto kRecovery = 3s;
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
                                    "the disk of {0} is full: jobs keep running, but the server accepts no "
                                    "new ones until the disk has space again; `kml delete` and `kml gc` "
                                    "free up space (df -h {0} shows how much is left)",
                                    folder_.string())
                              : "";
  changed_();
}

bool DiskRoom::is_full() {
  const auto now = std::chrono::steady_clock::now();
  if (store_.refused_writes() != seen_refusals_) full_until_ = now + kRecovery;
  seen_refusals_ = store_.refused_writes();
  return now < full_until_ || store_.is_disk_short();
}

}  // namespace kml::local
