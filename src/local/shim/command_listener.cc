#include "local/shim/command_listener.h"

#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/base/system_calls.h"
#include "local/shim/command_channel.h"

namespace kml::local {

namespace {

// How long a request may take to arrive. The server sends its request at once.
constexpr std::chrono::seconds kCallerPatience{10};
constexpr size_t kMostCallers = 64;
/// If no descriptor is free for a caller, the listener accepts callers again after this time.
constexpr std::chrono::milliseconds kCallersAgain{100};

void refuse_command(const Fd& connection, const std::string& why) {
  CommandAnswer answer{CommandAnswer::refused};
  why.copy(answer.text, sizeof answer.text - 1);
  send_message(connection.get(), {reinterpret_cast<const char*>(&answer), sizeof answer});
}

void hand_on(const Message& message, const Fd& connection, const CommandListener::FindKeeper& find_keeper) {
  const std::string container =
      command_request_from_json(parse_json(message.text, "a command for a container")).container;
  const Fd* keeper = find_keeper(container);
  if (!keeper) return refuse_command(connection, "container not found (\"" + container + "\")");
  std::vector<int> descriptors{connection.get()};
  for (const Fd& descriptor : message.descriptors) descriptors.push_back(descriptor.get());
  if (!send_message(keeper->get(), message.text, descriptors))
    refuse_command(connection, "too many commands are being started in the container");
}

}  // namespace

CommandListener::CommandListener(EventLoop& loop, const PodFolder& folder, FindKeeper find_keeper)
    : loop_(loop), find_keeper_(std::move(find_keeper)) {
  try {
    listener_ = listen_for_commands(folder.commands());
  } catch (const Error& error) {
    log_error(error);
    return;
  }
  listen();
}

void CommandListener::listen() {
  loop_.watch(listener_.get(), EPOLLIN, [this](uint32_t) { welcome(); });
}

void CommandListener::welcome() {
  Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection && lacks_descriptors(errno)) {
    loop_.forget(listener_.get());
    loop_.after(kCallersAgain, [this] { listen(); });
  }
  if (!connection || callers_.size() >= kMostCallers || !is_trusted_peer(connection.get())) return;
  const int caller = connection.get();
  callers_[caller] = {std::move(connection),
                      loop_.after(kCallerPatience, [this, caller] { hang_up(caller); })};
  loop_.watch(caller, EPOLLIN, [this, caller](uint32_t) { take_request(caller); });
}

void CommandListener::take_request(int caller) {
  if (const auto message = receive_message(caller)) {
    try {
      hand_on(*message, callers_.at(caller).connection, find_keeper_);
    } catch (const std::exception& error) {
      refuse_command(callers_.at(caller).connection, exception_text(error));
    }
  }
  hang_up(caller);
}

/// Closes only the listener's own descriptor for the connection. If a keeper has received the connection, it
/// stays open there.
void CommandListener::hang_up(int caller) {
  loop_.cancel(callers_.at(caller).deadline);
  loop_.forget(caller);
  callers_.erase(caller);
}

}  // namespace kml::local
