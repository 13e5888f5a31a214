#include "kml/sweep/journal/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kml/core/error.h"

namespace kml::sweep {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargest = size_t{4} << 30;

std::string lines_of(const fs::path& file) {
  return read_file_if_exists(file, kLargest).value_or("");
}

Time modified(const struct stat& file) {
  return Time{std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec)};
}

/// Somebody may just be looking who has it: writer_of().
bool locks_soon(int lock) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
    ::usleep(10'000);
  }
  errno = EWOULDBLOCK;
  return false;
}

/// What is new in a folder is there after a power cut once the folder is on its disk. Not all can be synced.
void sync_folders(fs::path folder) {
  constexpr int kMadeHere = 3;  // a sweep's, that of all sweeps, and the state's
  for (int i = 0; i < kMadeHere; ++i, folder = folder.parent_path())
    if (const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); fd)
      static_cast<void>(::fsync(fd.get()));
}

}  // namespace

void read_records(const std::string& text, const std::string& source,
                  const std::function<void(const Record& record)>& take) {
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;  // being written, or cut by a crash: it was never acted upon
    ++number;
    const Json record = Json::parse(text.begin() + static_cast<long>(begin),
                                    text.begin() + static_cast<long>(end), nullptr, false);
    if (!record.is_object())
      throw Error(ErrorCode::failure, "line " + std::to_string(number) + " of " + source + " is broken",
                  "it is not a JSON object", "restore the file, or remove the line and check the result");
    take(record_from_json(record));
    begin = end + 1;
  }
}

fs::path sweeps_folder() {
  return state_folder() / "sweeps";
}

fs::path sweep_folder(const std::string& name) {
  return sweeps_folder() / path_component(name);
}

void read_journal(const fs::path& folder, const std::function<void(const Record& record)>& take) {
  const fs::path file = folder / "journal.jsonl";
  const std::optional<std::string> text = read_file_if_exists(file, kLargest);
  if (!text) throw Error(ErrorCode::failure, "no sweep in " + folder.string(), "it has no journal.jsonl");
  read_records(*text, file.string(), take);
}

JournalTail::JournalTail(const fs::path& folder)
    : file_(folder / "journal.jsonl"), in_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!in_) throw system_error("cannot read " + file_.string(), errno);
}

bool JournalTail::read(const std::function<void(const Record& record)>& take) {
  struct stat own {
  }, there{};
  if (::fstat(in_.get(), &own) != 0 || ::stat(file_.c_str(), &there) != 0 || own.st_ino != there.st_ino ||
      own.st_dev != there.st_dev)
    return false;
  std::string text(static_cast<size_t>(std::max<off_t>(own.st_size - done_, 0)), '\0');
  const ssize_t got = ::pread(in_.get(), text.data(), text.size(), done_);
  if (got < 0) throw system_error("cannot read " + file_.string(), errno);
  text.resize(static_cast<size_t>(got));
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0; a line that is being written comes next time
  done_ += static_cast<long long>(text.size());
  read_records(text, file_.string(), take);
  return true;
}

std::optional<std::string> writer_of(const fs::path& folder) {
  const Fd lock(::open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  // Shared, so that of several who look none takes another for a writer.
  if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return {};
  return read_file_if_exists(folder / "lock").value_or("another process");
}

std::optional<Time> last_sign_of_life(const fs::path& folder) {
  struct stat lock {};
  if (::stat((folder / "lock").c_str(), &lock) != 0) return {};
  return modified(lock);
}

Journal::Journal(const fs::path& folder, const std::string& owner) : file_(folder / "journal.jsonl") {
  make_private_folder(folder);
  lock_ = Fd(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) throw system_error("cannot open " + (folder / "lock").string(), errno);
  if (!locks_soon(lock_.get())) {
    if (errno != EWOULDBLOCK) throw system_error("cannot lock " + (folder / "lock").string(), errno);
    const std::string name = folder.filename().string();
    throw Error(ErrorCode::failure, "sweep " + name + " is running already",
                "by " + writer_of(folder).value_or("another process"),
                "`kml sweep attach " + name + "` shows it, `kml sweep stop " + name + "` ends it");
  }
  struct stat before {};
  ::fstat(lock_.get(), &before);
  if (before.st_size > 0) last_sign_ = modified(before);
  static_cast<void>(::ftruncate(lock_.get(), 0));
  static_cast<void>(::pwrite(lock_.get(), owner.data(), owner.size(), 0));
  // Who only opens it runs no sweep.
  const timespec times[] = {before.st_atim, before.st_mtim};
  if (last_sign_) ::futimens(lock_.get(), times);

  out_ = Fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!out_) throw system_error("cannot open " + file_.string(), errno);
  const std::string text = lines_of(file_);
  const size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size() && ::ftruncate(out_.get(), static_cast<off_t>(whole)) != 0)
    throw system_error("cannot write " + file_.string(), errno);
  if (whole == 0) sync_folders(folder);
}

void Journal::read(const std::function<void(const Record& record)>& take) const {
  read_records(lines_of(file_), file_.string(), take);
}

void Journal::add(const Record& record) {
  pending_ += compact_text(to_json(record)) + "\n";
}

void Journal::flush() {
  if (pending_.empty()) return;
  const off_t before = ::lseek(out_.get(), 0, SEEK_END);
  for (size_t done = 0; done < pending_.size();) {
    const ssize_t count = ::write(out_.get(), pending_.data() + done, pending_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int why = errno;
      static_cast<void>(::ftruncate(out_.get(), before));
      throw system_error("cannot write " + file_.string(), why,
                         "free some space; `kml sweep resume` then continues the sweep");
    }
    done += static_cast<size_t>(count);
  }
  pending_.clear();
  is_synced_ = false;
}

void Journal::show_life(const Clock& clock) {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::seconds(1)) return;
  shown_ = now;
  const nanoseconds time = clock.now().time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const timespec spec{seconds.count(), (time - seconds).count()};
  const timespec times[] = {spec, spec};
  ::futimens(lock_.get(), times);
}

void Journal::commit() {
  flush();
  if (is_synced_) return;
  if (::fdatasync(out_.get()) != 0)
    throw system_error("cannot write " + file_.string(), errno,
                       "free some space; `kml sweep resume` then continues the sweep");
  is_synced_ = true;
}

}  // namespace kml::sweep
