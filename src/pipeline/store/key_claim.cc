#include "kml/pipeline/store/key_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/store/store_write.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

fs::path claim_file(const fs::path& store, const std::string& key) {
  return store / "claims" / path_component(key);
}

/// Whether the file still exists. The claim's last holder may have removed it after it was opened and before
/// it was locked.
bool is_still_at(const Fd& fd, const fs::path& file) {
  struct stat open {
  }, named{};
  return ::fstat(fd.get(), &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

Fd opened(const fs::path& store, const fs::path& file) {
  Fd fd;
  write_in(store, [&] {
    make_private_folder(file.parent_path());
    fd = Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd) throw system_error("cannot write " + file.string(), errno);
  });
  return fd;
}

}  // namespace

KeyClaim::~KeyClaim() {
  if (lock_) ::unlink(file_.c_str());
}

KeyClaim claim_key(const fs::path& store, const std::string& key, const std::string& run) {
  const fs::path file = claim_file(store, key);
  while (true) {
    Fd fd = opened(store, file);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (!is_still_at(fd, file)) continue;
    if (::ftruncate(fd.get(), 0) == 0)
      // Even if the name cannot be written, the claim is valid.
      static_cast<void>(!::pwrite(fd.get(), run.data(), run.size(), 0));
    return {std::move(fd), file};
  }
}

std::string claimer_of(const fs::path& store, const std::string& key) {
  return read_file_if_exists(claim_file(store, key)).value_or("");
}

}  // namespace kml::pipeline
