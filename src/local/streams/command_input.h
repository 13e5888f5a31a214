#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// The bytes that a client sends to a command's standard input. They are held until the command reads them.
class CommandInput {
 public:
  explicit CommandInput(EventLoop& loop) : loop_(loop) {}
  ~CommandInput() { close(); }
  CommandInput(const CommandInput&) = delete;

  /// The caller keeps the descriptor, and calls feed() when it can be written to.
  void open(const Fd& terminal);
  /// `writable` is called when the pipe can be written to.
  void open(Fd pipe, std::function<void()> writable);

  void add(std::string_view bytes);
  /// Call this when no more input will be added.
  void end() { is_ended_ = true; }
  /// Writes as much of the held input as the command accepts. After the end of the input, closes the pipe.
  void feed();
  size_t held() const { return held_.size(); }
  void close();

 private:
  void send_end();

  EventLoop& loop_;
  std::optional<int> fd_;  ///< the descriptor to write to; set while the command reads
  Fd pipe_;                ///< owns that descriptor, unless it is a terminal
  std::string held_;
  bool is_ended_ = false;
};

}  // namespace kml::local
