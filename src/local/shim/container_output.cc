#include "local/shim/container_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

// An incomplete line is written to the log after this time, unless the rest follows sooner. So a line has at
// most 50 parts per second.
constexpr auto kSettled = 20ms;
constexpr OutputStream kBothStreams[] = {OutputStream::out, OutputStream::err};

}  // namespace

void ContainerOutput::begin(const std::filesystem::path& folder, int run, const LogLimits& limits) {
  log_ = std::make_unique<LogWriter>(folder, run, system_clock(), limits);
  tail_ = {};
}

ContainerOutput::Writers ContainerOutput::open() {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    throw system_error("cannot make a pipe", errno);
  pipes_[0] = Fd(out[0]);
  pipes_[1] = Fd(err[0]);
  Writers writers{Fd(out[1]), Fd(err[1])};
  for (OutputStream stream : kBothStreams) watch(stream);
  return writers;
}

void ContainerOutput::watch(OutputStream stream) {
  const int fd = pipes_[static_cast<int>(stream)].get();
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  loop_.watch(fd, EPOLLIN, [this, stream](uint32_t) { read(stream); });
}

void ContainerOutput::read(OutputStream stream) {
  Fd& fd = pipes_[static_cast<int>(stream)];
  char buffer[1 << 16];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  if (got > 0) return take(stream, {buffer, static_cast<size_t>(got)});
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  loop_.forget(fd.get());
  fd = Fd();
}

void ContainerOutput::take(OutputStream stream, std::string_view bytes) {
  log_->write(stream, bytes);
  if (keeps_end_) tail_.add(bytes);
  if (log_->has_unfinished() && !unfinished_) write_unfinished_later();
}

void ContainerOutput::read_rest(OutputStream stream) {
  const Fd& fd = pipes_[static_cast<int>(stream)];
  if (!fd) return;
  char buffer[1 << 16];
  ssize_t got;
  while ((got = ::read(fd.get(), buffer, sizeof buffer)) > 0)
    take(stream, {buffer, static_cast<size_t>(got)});
}

void ContainerOutput::say(const std::string& line) {
  for (OutputStream stream : kBothStreams) read_rest(stream);
  take(OutputStream::err, "kml: " + line + "\n");
}

void ContainerOutput::write_unfinished_later() {
  unfinished_ = loop_.after(kSettled, [this] {
    unfinished_.reset();
    log_->write_unfinished();
  });
}

void ContainerOutput::drop() {
  for (Fd& fd : pipes_) {
    if (fd) loop_.forget(fd.get());
    fd = Fd();
  }
}

void ContainerOutput::finish() {
  for (OutputStream stream : kBothStreams) read_rest(stream);
  drop();
  if (unfinished_) loop_.cancel(*unfinished_);
  unfinished_.reset();
  log_->finish();
}

}  // namespace kml::local
