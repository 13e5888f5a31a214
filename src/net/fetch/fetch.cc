#include "kml/net/fetch/fetch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "net/fetch/bucket.h"
#include "net/fetch/download.h"
#include "net/fetch/listing.h"
#include "net/fetch/names.h"
#include "net/fetch/space.h"
#include "net/fetch/turn.h"

namespace kml::fetch {

namespace fs = std::filesystem;

namespace {

/// The file of a URL, with the name at the end of the URL's path: "a b.csv" of "https://HOST/a%20b.csv".
std::vector<RemoteFile> file_at_url(const Source& source) {
  const Place place = place_of_url(source.place);
  const std::string path = place.path.substr(0, place.path.find('?'));
  return {{.path = path_component(percent_decoded(path.substr(path.rfind('/') + 1))),
           .place = place,
           .expected = {.sha256 = source.version}}};
}

/// Downloads files over several connections, because most of the time for a small file is spent waiting.
class Downloads {
 public:
  Downloads(const Source& source, const std::vector<const RemoteFile*>& files, const fs::path& folder,
            const Means& means)
      : source_(source), files_(files), folder_(folder), means_(means) {}

  void run() {
    std::vector<std::thread> others;
    const size_t count = std::min(kConnections, files_.size());
    for (size_t i = 1; i < count; ++i) others.emplace_back([this] { take_turns(); });
    take_turns();
    for (std::thread& other : others) other.join();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  static constexpr size_t kConnections = 8;

  void take_turns() try {
    Getter getter(means_);
    if (source_.kind == Source::Kind::hub) use_hub_token(getter);
    Beneath target(folder_);
    for (size_t i = next_++; i < files_.size() && !is_stopped_; i = next_++) {
      download(getter, target, *files_[i], is_stopped_);
      constexpr size_t kNoted = 1000;
      if (const size_t done = ++done_; done % kNoted == 0)
        means_.note(fmt::format("{} of {} files of {}", done, files_.size(), source_.text()));
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!is_stopped_.exchange(true)) thrown_ = std::current_exception();
  }

  const Source& source_;
  const std::vector<const RemoteFile*>& files_;
  const fs::path& folder_;
  const Means& means_;
  std::atomic<size_t> next_ = 0, done_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

void fetch_files(const Source& source, const fs::path& folder, const Means& means) {
  Getter getter(means);
  const bool is_hub = source.kind == Source::Kind::hub;
  if (is_hub) use_hub_token(getter);
  const std::vector<RemoteFile> files = is_hub ? files_in_hub(getter, source) : file_at_url(source);
  std::vector<const RemoteFile*> missing;
  std::uintmax_t bytes = 0;
  for (const RemoteFile& file : files) {
    if (has_content(folder / file.path, file.expected)) continue;
    missing.push_back(&file);
    bytes += bytes_missing(folder, file.path, file.expected.size.value_or(0));
  }
  require_space(folder, bytes, source.text());
  Downloads(source, missing, folder, means).run();
}

/// Whether the folder has data. A kubelet creates an empty folder for a mount whose folder is missing. Throws
/// Error if something else has its name.
bool is_there(const fs::path& folder) {
  struct stat there {};
  if (::lstat(folder.c_str(), &there) != 0) return false;
  if (!S_ISDIR(there.st_mode))
    throw Error(ErrorCode::failure, "cannot fetch into " + folder.string(), "it is not a folder",
                "delete it");
  std::error_code unreadable;
  return !fs::is_empty(folder, unreadable);
}

/// Waits for the disk. Otherwise, files of complete data could be empty after a power cut, and a full network
/// file system would only be noticed later.
void sync(const fs::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || !sync_file_system(fd.get())) throw system_error("cannot write " + folder.string(), errno);
}

/// Records that a pod uses the data now, for remove_unused().
void mark_used(const Source& source, const fs::path& folder) {
  const Fd fd(::open(beside(folder, kUsed).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd) return;           // the volume may be read-only
  ::fchmod(fd.get(), 0666);  // other users may read the same data
  struct stat mark {};
  if (::fstat(fd.get(), &mark) == 0 && mark.st_size == 0) write_whole(fd.get(), source.text());
  ::futimens(fd.get(), nullptr);
}

}  // namespace

Source pinned(Source source, const Means& means) {
  if (source.kind == Source::Kind::hub) {
    Getter getter(means);
    use_hub_token(getter);
    source.version = commit_of(getter, source);
  } else if (source.kind == Source::Kind::bucket) {
    source.version = version_of_bucket(source, means);
  }
  return source;
}

bool fetch_once(const Source& source, const fs::path& folder, const Means& means) {
  mark_used(source, folder);
  if (is_there(folder)) return false;
  const Turn turn(folder, source.text(), means);
  if (is_there(folder)) return false;
  const fs::path part = turn.part();
  means.note("fetching " + source.text());
  if (source.kind == Source::Kind::bucket)
    fetch_bucket(source, part, means);
  else
    fetch_files(source, part, means);
  sync(part);
  if (std::rename(part.c_str(), folder.c_str()) == 0) return true;
  const int failed = errno;
  if (!is_there(folder)) throw system_error("cannot complete " + folder.string(), failed);
  std::error_code ignored;
  fs::remove_all(part, ignored);  // without a lock, another pod may have been faster
  return false;
}

}  // namespace kml::fetch
