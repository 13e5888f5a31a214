#include "local/shim/log_writer.h"

#include <fmt/format.h>

#include "kml/base/clock.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

namespace {

constexpr size_t kMostBytes = 2048;
constexpr int kMostLines = 80;

}  // namespace

void OutputTail::add(std::string_view bytes) {
  end_ += bytes;
  if (end_.size() > kMostBytes) end_.erase(0, end_.size() - kMostBytes);
}

std::string OutputTail::text() const {
  size_t begin = end_.size();
  for (int lines = 0; begin > 0; --begin)
    if (end_[begin - 1] == '\n' && begin < end_.size() && ++lines == kMostLines) break;
  return end_.substr(begin);
}

namespace fs = std::filesystem;

namespace {

constexpr size_t kLongestPart = 16 << 10;

std::string_view stream_name(OutputStream stream) {
  return stream == OutputStream::out ? "stdout" : "stderr";
}

}  // namespace

LogWriter::LogWriter(fs::path folder, int restart, const Clock& clock, LogLimits limits)
    : folder_(std::move(folder)),
      path_(folder_ / (std::to_string(restart) + ".log")),
      clock_(clock),
      limits_(limits) {
  open();
}

void LogWriter::write(OutputStream stream, std::string_view bytes) {
  stamp_ = rfc3339_nano(clock_.now());
  std::string& unfinished = unfinished_[static_cast<int>(stream)];
  while (!bytes.empty()) {
    const size_t room = kLongestPart - unfinished.size();
    const size_t newline = bytes.substr(0, room + 1).find('\n');
    if (newline == std::string_view::npos && bytes.size() <= room) {
      unfinished += bytes;
      break;
    }
    const size_t length = newline == std::string_view::npos ? room : newline;
    const char tag = newline == std::string_view::npos ? 'P' : 'F';
    if (unfinished.empty()) {
      add_line(stream, tag, bytes.substr(0, length));
    } else {
      unfinished += bytes.substr(0, length);
      add_line(stream, tag, unfinished);
      unfinished.clear();
    }
    bytes.remove_prefix(tag == 'F' ? length + 1 : length);
  }
  flush();
}

void LogWriter::write_unfinished() {
  stamp_ = rfc3339_nano(clock_.now());
  for (OutputStream stream : {OutputStream::out, OutputStream::err}) {
    std::string& unfinished = unfinished_[static_cast<int>(stream)];
    if (!unfinished.empty()) add_line(stream, 'P', unfinished);
    unfinished.clear();
  }
  flush();
}

void LogWriter::finish() {
  stamp_ = rfc3339_nano(clock_.now());
  for (OutputStream stream : {OutputStream::out, OutputStream::err}) {
    std::string& unfinished = unfinished_[static_cast<int>(stream)];
    if (!unfinished.empty() || goes_on_[static_cast<int>(stream)]) add_line(stream, 'F', unfinished);
    unfinished.clear();
  }
  flush();
}

void LogWriter::add_line(OutputStream stream, char tag, std::string_view text) {
  goes_on_[static_cast<int>(stream)] = tag == 'P';
  batch_lines_ += tag == 'F' ? 1 : 0;
  batch_ += stamp_;
  batch_ += ' ';
  batch_ += stream_name(stream);
  batch_ += ' ';
  batch_ += tag;
  batch_ += ' ';
  batch_ += text;
  batch_ += '\n';
}

void LogWriter::flush() {
  if (batch_.empty()) return;
  if (file_.size() >= limits_.file_bytes) rotate();
  if (!file_) open();
  if (lost_bytes_ > 0) {
    const std::string notice = fmt::format(
        "{} stderr F kml: {} bytes of output were lost: the log could not be written\n", stamp_, lost_bytes_);
    if (file_.append(notice)) lost_bytes_ = 0;
  }
  if (lost_bytes_ > 0 || !file_.append(batch_))
    lost_bytes_ += batch_.size();
  else
    current_.lines += batch_lines_;
  batch_.clear();
  batch_lines_ = 0;
}

void LogWriter::open() {
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  file_ = AppendFile(path_);
}

void LogWriter::rotate() {
  std::error_code ignored;
  // The time in the kubelet's format, with nanoseconds, because a fast writer fills several files per second.
  rotated_.push_back({path_.string() + "." + file_name_time(stamp_), current_.lines, file_.size()});
  current_ = {};
  fs::rename(path_, rotated_.back().path, ignored);
  while (rotated_.size() > static_cast<size_t>(limits_.rotated_files)) remove_oldest();
  open();
}

/// Writes the note before removing the file, so that a reader that does not find the file finds the note.
void LogWriter::remove_oldest() {
  const Part& oldest = rotated_.front();
  removed_.lines += oldest.lines;
  removed_.bytes += oldest.bytes;
  replace_file(fs::path(path_).replace_extension("removed"),
               fmt::format("{} {} {}\n", removed_.lines, removed_.bytes, oldest.path.filename().string()));
  std::error_code ignored;
  fs::remove(oldest.path, ignored);
  rotated_.pop_front();
}

}  // namespace kml::local
