#include "local/streams/command_input.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kml::local {

void CommandInput::open(const Fd& terminal) {
  fd_ = terminal.get();
}

void CommandInput::open(Fd pipe, std::function<void()> writable) {
  pipe_ = std::move(pipe);
  fd_ = pipe_.get();
  loop_.watch(*fd_, EPOLLOUT | EPOLLET, [writable = std::move(writable)](uint32_t) { writable(); });
}

void CommandInput::add(std::string_view bytes) {
  if (fd_ && !is_ended_) held_ += bytes;
}

void CommandInput::feed() {
  while (fd_ && !held_.empty()) {
    const ssize_t written = ::write(*fd_, held_.data(), held_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written <= 0) return close();  // the command no longer reads
    held_.erase(0, static_cast<size_t>(written));
  }
  if (fd_ && is_ended_) send_end();
}

/// A terminal cannot be closed in one direction only, so a command that reads lines gets the end-of-file
/// character.
void CommandInput::send_end() {
  termios settings{};
  if (!pipe_ && ::tcgetattr(*fd_, &settings) == 0 && (settings.c_lflag & ICANON) != 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(*fd_, &settings.c_cc[VEOF], 1);
  }
  close();
}

void CommandInput::close() {
  held_.clear();
  if (pipe_) loop_.forget(pipe_.get());
  pipe_ = Fd();
  fd_.reset();
}

}  // namespace kml::local
