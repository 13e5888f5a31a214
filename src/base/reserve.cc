#include "kml/base/reserve.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "kml/base/files.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

constexpr uint64_t kMostReserved = 2 << 20;
// Enough for a job's objects, its events and the first lines of its log.
constexpr uint64_t kFewWrites = 64 << 10;

std::optional<struct statvfs> disk_of(const std::filesystem::path& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return {};
  return disk;
}

}  // namespace

bool is_disk_full(const Error& error) {
  return error.reason == "InsufficientStorage";
}

uint64_t free_bytes(const std::filesystem::path& folder) {
  const auto disk = disk_of(folder);
  if (!disk) return std::numeric_limits<uint64_t>::max();
  return uint64_t{disk->f_frsize} * (::geteuid() == 0 ? disk->f_bfree : disk->f_bavail);
}

Reserve::Reserve(std::filesystem::path file) : file_(std::move(file)) {}

Reserve::~Reserve() {
  keep();
}

uint64_t Reserve::bytes() const noexcept {
  const auto disk = disk_of(file_.parent_path());
  return disk ? std::min(kMostReserved, uint64_t{disk->f_frsize} * disk->f_blocks / 8) : kMostReserved;
}

uint64_t Reserve::missing_bytes() const noexcept {
  return ::access(file_.c_str(), F_OK) == 0 ? 0 : bytes();
}

bool Reserve::is_short() const noexcept {
  const uint64_t free = free_bytes(file_.parent_path());
  return free < kFewWrites || (free < kMostReserved + kFewWrites && free < missing_bytes() + kFewWrites);
}

void Reserve::keep() const noexcept {
  const uint64_t missing = missing_bytes();
  if (missing == 0 || free_bytes(file_.parent_path()) < missing + kFewWrites) return;
  const Fd fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fd && !keep_space(fd.get(), missing)) release();
}

void Reserve::release() const noexcept {
  ::unlink(file_.c_str());
}

}  // namespace kml
