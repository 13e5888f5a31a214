#include "kml/engine/journal/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "kml/base/damage.h"
#include "kml/base/error.h"
#include "kml/base/file_error.h"
#include "kml/base/system_calls.h"

namespace kml::engine {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargest = size_t{4} << 30;

fs::path journal_in(const fs::path& folder) {
  return folder / "journal.jsonl";
}

fs::path lock_in(const fs::path& folder) {
  return folder / "lock";
}

std::string text_of(const fs::path& file) {
  return read_file_if_exists(file, kLargest).value_or("");
}

/// The length of the text's complete lines.
size_t whole_lines(const std::string& text) {
  return text.rfind('\n') + 1;  // npos + 1 is 0
}

void set_times(const Fd& file, Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const timespec spec{static_cast<time_t>(seconds.count()),
                      static_cast<long>((time.time_since_epoch() - seconds).count())};
  const timespec times[] = {spec, spec};
  ::futimens(file.get(), times);
}

/// Retries for a short while, because readers hold the lock briefly in writer_of().
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

/// A folder's new entries survive a power cut only if the folder is synced. Not every file system supports
/// that.
void sync_folders(fs::path folder) {
  // the folder of the sweep or run, the folder of all of them, and the state folder
  constexpr int kMadeHere = 3;
  for (int i = 0; i < kMadeHere; ++i, folder = folder.parent_path())
    if (const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); fd)
      static_cast<void>(::fsync(fd.get()));
}

/// `number` is the number of the line before the text. Updates it to the number of the text's last line.
void read_lines_after(size_t& number, const std::string& text, const std::string& source,
                      const TakeLine& take) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    // an incomplete line: it is being written, or a crash cut it before it had any effect
    if (end == std::string::npos) return;
    ++number;
    const Json line = Json::parse(text.begin() + static_cast<long>(begin),
                                  text.begin() + static_cast<long>(end), nullptr, false);
    if (!line.is_object())
      throw Error(ErrorCode::failure, "line " + std::to_string(number) + " of " + source + " is damaged",
                  "it is not a JSON object",
                  "restore the file from a copy, or remove the line and check the result");
    try {
      take(line);
    } catch (Error& error) {
      error.why =
          "line " + std::to_string(number) + " of " + source + (error.why.empty() ? "" : ": " + error.why);
      throw;
    }
    begin = end + 1;
  }
}

}  // namespace

void read_lines(const std::string& text, const std::string& source, const TakeLine& take) {
  size_t number = 0;
  read_lines_after(number, text, source, take);
}

bool read_journal(const fs::path& folder, const TakeLine& take) {
  const fs::path file = journal_in(folder);
  const std::optional<std::string> text = read_file_if_exists(file, kLargest);
  if (!text) return false;
  read_lines(*text, file.string(), take);
  if (whole_lines(*text) < text->size() && !writer_of(folder))
    note_damage(file, 1 + static_cast<size_t>(std::count(text->begin(), text->end(), '\n')));
  return true;
}

JournalTail::JournalTail(const fs::path& folder)
    : file_(journal_in(folder)), in_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!in_) throw file_error("read", file_, errno);
}

bool JournalTail::read(const TakeLine& take) {
  struct stat own {
  }, there{};
  if (::fstat(in_.get(), &own) != 0 || ::stat(file_.c_str(), &there) != 0 || own.st_ino != there.st_ino ||
      own.st_dev != there.st_dev)
    return false;
  std::string text(static_cast<size_t>(std::max<off_t>(own.st_size - done_, 0)), '\0');
  const ssize_t got = ::pread(in_.get(), text.data(), text.size(), done_);
  if (got < 0) throw file_error("read", file_, errno);
  text.resize(static_cast<size_t>(got));
  text.resize(whole_lines(text));  // an incomplete line is left for the next call
  done_ += static_cast<long long>(text.size());
  read_lines_after(lines_, text, file_.string(), take);
  return true;
}

std::optional<std::string> writer_of(const fs::path& folder) {
  const Fd lock(::open(lock_in(folder).c_str(), O_RDONLY | O_CLOEXEC));
  // Takes a shared lock, so that readers do not mistake each other for the writer.
  if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return {};
  return read_file_if_exists(lock_in(folder)).value_or("another process");
}

bool has_begun(const fs::path& folder) {
  const fs::path file = journal_in(folder);
  std::error_code none;
  if (symlink_status(file, none).type() == fs::file_type::not_found) return false;
  std::ifstream journal(file);
  if (!journal || is_directory(file, none)) return true;
  std::string line;
  if (std::getline(journal, line) && !journal.eof()) return true;
  if (!writer_of(folder)) note_damage(file);
  return false;
}

std::optional<Time> last_sign_of_life(const fs::path& folder) {
  struct stat lock {};
  if (::stat(lock_in(folder).c_str(), &lock) != 0) return {};
  return modification_time(lock);
}

Journal::Journal(const fs::path& folder, const std::string& owner, const JournalWords& words)
    : file_(journal_in(folder)), go_on_(words.go_on) {
  make_private_folder(folder);
  lock(lock_in(folder), words);
  note_owner(owner);
  open_at_last_whole_line();
}

void Journal::lock(const fs::path& file, const JournalWords& words) {
  lock_ = Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) throw file_error("open", file, errno);
  if (locks_soon(lock_.get())) return;
  if (errno != EWOULDBLOCK) throw system_error("cannot lock " + file.string(), errno);
  throw Error(ErrorCode::failure, words.what + " is already running",
              "by " + writer_of(file.parent_path()).value_or("another process"), words.while_running);
}

void Journal::note_owner(const std::string& owner) {
  struct stat before {};
  ::fstat(lock_.get(), &before);
  if (before.st_size > 0) last_sign_ = modification_time(before);
  static_cast<void>(::ftruncate(lock_.get(), 0));
  static_cast<void>(::pwrite(lock_.get(), owner.data(), owner.size(), 0));
  // The modification time shows when the run was last active. Opening the journal is not activity, so the
  // time is restored.
  if (last_sign_) set_times(lock_, *last_sign_);
}

void Journal::open_at_last_whole_line() {
  out_ = Fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!out_) throw file_error("open", file_, errno);
  const std::string text = text_of(file_);
  const size_t whole = whole_lines(text);
  if (whole < text.size() && ::ftruncate(out_.get(), static_cast<off_t>(whole)) != 0)
    throw system_error("cannot write " + file_.string(), errno);
  if (whole == 0) sync_folders(file_.parent_path());
}

void Journal::read(const TakeLine& take) const {
  read_lines(text_of(file_), file_.string(), take);
}

void Journal::add(const Json& line) {
  pending_ += compact_text(line) + "\n";
}

/// If the disk is full, the lines that end a run are written into the space that earlier lines have reserved.
void Journal::leave_space(uint64_t size) {
  constexpr uint64_t kForTheEnd = 16 << 10;
  const uint64_t needed = (size / kForTheEnd + 2) * kForTheEnd;
  if (needed <= kept_) return;
  if (keep_space(out_.get(), needed))
    kept_ = needed;
  else if ((errno == ENOSPC || errno == EDQUOT) && !is_ending_)
    throw cannot_write(errno);
}

/// If the journal has no first line, nothing has begun, so this function removes the file.
Error Journal::cannot_write(int why) {
  if (::lseek(out_.get(), 0, SEEK_END) > 0)
    return system_error("cannot write " + file_.string(), why, when_full());
  std::error_code ignored;
  fs::remove(file_, ignored);
  return system_error("cannot write " + file_.string(), why, "free some space, then run the command again");
}

void Journal::flush() {
  if (pending_.empty()) return;
  const off_t before = ::lseek(out_.get(), 0, SEEK_END);
  leave_space(static_cast<uint64_t>(before) + pending_.size());
  if (!write_whole(out_.get(), pending_)) {
    const int why = errno;
    static_cast<void>(::ftruncate(out_.get(), before));
    throw cannot_write(why);
  }
  pending_.clear();
  is_synced_ = false;
}

void Journal::show_life(const Clock& clock) {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::seconds(1)) return;
  shown_ = now;
  set_times(lock_, clock.now());
}

void Journal::commit() {
  flush();
  if (is_synced_) return;
  if (!sync_content(out_.get())) throw system_error("cannot write " + file_.string(), errno, when_full());
  is_synced_ = true;
}

}  // namespace kml::engine
