#include "job/spool/log_spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "job/spool/spool_files.h"
#include "kml/base/error.h"
#include "kml/base/file_error.h"
#include "kml/base/files.h"
#include "kml/kube/logs/stored_log.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

/// How many bytes are written at once.
constexpr size_t kBuffer = size_t{64} << 10;
/// How many bytes of a log are read back at most when copying resumes. If the last two seconds of the log are
/// longer, the order of the lines shows which ones are already stored.
constexpr size_t kMostRecalled = size_t{4} << 20;

/// The position in the file of the first line that a resumed request may send again.
size_t begin_of_recall(MappedFile& file, size_t whole) {
  const size_t begin = whole > kMostRecalled ? file.line_begin(whole - kMostRecalled) : 0;
  const std::string_view log = file.bytes().substr(begin, whole - begin);
  Time last{};
  kube::LogText text;
  for (kube::StoredLog stored(log); stored.next(text); file.have_read(text.stamp.size() + text.text.size()))
    last = text.time;
  const Time from = std::chrono::floor<std::chrono::seconds>(last) - std::chrono::seconds(1);
  for (kube::StoredLog stored(log); stored.next(text); file.have_read(text.stamp.size() + text.text.size()))
    if (text.begins && !text.stamp.empty() && text.time >= from)
      return static_cast<size_t>(text.stamp.data() - file.bytes().data());
  return whole;
}

}  // namespace

/// The log file of one run.
class LogSpool::File {
 public:
  File(const fs::path& folder, const LogSource& source)
      : stem_(folder / spool_path(source)), run_{source, false} {
    if (const auto text = read_file_if_exists(with(".json")))
      if (const auto before = spooled_run(*text)) run_.complete = before->complete;
  }

  bool complete() const { return run_.complete; }
  /// Removes an incomplete last line. Passes the lines that a resumed request may send again to
  /// `recall_line`.
  bool recall(const std::function<void(Time, std::string_view)>& recall_line);
  void write(const LogLine& line);
  void flush();
  void end();

 private:
  fs::path with(const char* ending) const { return stem_.string() + ending; }
  void open();

  const fs::path stem_;
  SpooledRun run_;
  Fd file_;
  std::string buffer_;
  bool inside_ = false;  ///< whether the last line is incomplete
};

bool LogSpool::File::recall(const std::function<void(Time, std::string_view)>& recall_line) {
  size_t whole = 0;
  {
    MappedFile log(with(".log"));
    whole = log.line_begin(log.bytes().size());
    const size_t begin = begin_of_recall(log, whole);
    kube::LogText text;
    for (kube::StoredLog stored(log.bytes().substr(begin, whole - begin)); stored.next(text);
         log.have_read(text.stamp.size() + text.text.size()))
      recall_line(text.time, text.text);
  }
  std::error_code ignored;
  if (fs::exists(with(".log"), ignored)) fs::resize_file(with(".log"), whole, ignored);
  return whole > 0;
}

void LogSpool::File::open() {
  make_private_folder(stem_.parent_path());
  write_file_atomically(with(".json"), to_json(run_).dump(2) + "\n");
  file_ = Fd(::open(with(".log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file_) throw file_error("write", with(".log"), errno);
}

void LogSpool::File::write(const LogLine& line) {
  if (line.begins) {
    if (inside_) buffer_ += '\n';
    buffer_ += line.stamp.empty() ? std::string_view("-") : line.stamp;
    buffer_ += ' ';
  }
  buffer_ += line.text;
  if (line.ends) buffer_ += '\n';
  inside_ = !line.ends;
  if (buffer_.size() >= kBuffer) flush();
}

void LogSpool::File::flush() {
  if (buffer_.empty()) return;
  if (!file_) open();
  if (!write_whole(file_.get(), buffer_))
    throw system_error("cannot write " + with(".log").string(), errno,
                       "free some space and run the command again; the lines so far are complete");
  buffer_.clear();
}

void LogSpool::File::end() {
  if (inside_) buffer_ += '\n';
  inside_ = false;
  flush();
  if (!file_) open();
  run_.complete = true;
  write_file_atomically(with(".json"), to_json(run_).dump(2) + "\n");
  file_ = {};
}

LogSpool::LogSpool(fs::path folder, LogSink& next) : folder_(std::move(folder)), next_(next) {
  make_private_folder(folder_);
}
LogSpool::~LogSpool() = default;

bool LogSpool::lock_copy_of(const LogSource& source) {
  const fs::path folder = folder_ / spool_path(source).parent_path();  // the pod's folder
  const fs::path copy = source.job.empty() ? folder : folder.parent_path();
  const auto [lock, is_new] = locks_.try_emplace(copy);
  if (!is_new) return static_cast<bool>(lock->second);
  make_private_folder(copy);
  Fd fd(::open((copy / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) throw file_error("write", copy / "lock", errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
    lock->second = std::move(fd);
    return true;
  }
  if (errno != EWOULDBLOCK) throw system_error("cannot lock " + (copy / "lock").string(), errno);
  next_.event(
      {.kind = LogEvent::Kind::trouble,
       .text = "another kml process is writing the copy in " + copy.string() + "; this process only prints"});
  return false;
}

LogSpool::File& LogSpool::file_of(const LogSource& source) {
  std::unique_ptr<File>& file = files_[&source];
  if (!file) file = std::make_unique<File>(folder_, source);
  return *file;
}

LogSink::Kept LogSpool::kept(const LogSource& source,
                             const std::function<void(Time, std::string_view text)>& recall) {
  if (!lock_copy_of(source)) return next_.kept(source, recall);
  File& file = file_of(source);
  if (file.complete()) return Kept::all;
  return file.recall(recall) ? Kept::a_part : Kept::nothing;
}

/// Stores the lines before it shows them.
void LogSpool::lines(std::span<const LogLine> lines) {
  for (size_t i = 0; i < lines.size();) {
    const LogSource* source = lines[i].source;
    File* file = lock_copy_of(*source) ? &file_of(*source) : nullptr;
    for (; i < lines.size() && lines[i].source == source; ++i)
      if (file) file->write(lines[i]);
    if (file) file->flush();
  }
  next_.lines(lines);
}

void LogSpool::event(const LogEvent& event) {
  if (event.kind == LogEvent::Kind::run_ended && event.source && lock_copy_of(*event.source)) {
    file_of(*event.source).end();
    files_.erase(event.source);
  }
  next_.event(event);
}

/// An incomplete line is only shown. It is stored when the complete line arrives.
void LogSpool::unfinished(const LogLine& line) {
  next_.unfinished(line);
}

bool LogSpool::pause() {
  return next_.pause();
}

void LogSpool::waits(const JobView& job) {
  next_.waits(job);
}

fs::path default_spool() {
  return state_folder() / "logs";
}

}  // namespace kml::job
