#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/shim/command_channel.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// One more command in a pod's container. The pod's shim and the container's keeper are asked to start it.
/// The keeper kills it when this object is destroyed.
class CommandCall {
 public:
  /// Called with the v1.Status to send to the client; each callback is called at most once.
  struct Callbacks {
    std::function<void(std::string status)> ended;  ///< also called if the command could not be started
    std::function<void(std::string status)> unanswered;
  };
  CommandCall(EventLoop& loop, CommandRequest command, Callbacks callbacks)
      : loop_(loop), command_(std::move(command)), callbacks_(std::move(callbacks)) {}
  ~CommandCall() { drop(); }
  CommandCall(const CommandCall&) = delete;

  /// Throws Error if the shim cannot be reached. `descriptors` are the command's ends of its streams.
  void begin(const PodFolder& folder, std::span<const int> descriptors);
  void drop();

  bool has_terminal() const { return command_.terminal; }

 private:
  void take_answers();
  void take(const CommandAnswer& answer);
  void end(std::string status);
  void forget_deadline();
  std::string words() const;

  EventLoop& loop_;
  const CommandRequest command_;
  const Callbacks callbacks_;
  Fd connection_;  ///< the connection to the container's keeper
  std::optional<EventLoop::Timer> deadline_;
  bool has_started_ = false, is_over_ = false;
};

}  // namespace kml::local
