#include "local/streams/command_call.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

// The kubelet waits this long for a container runtime. No command takes this long to start.
constexpr std::chrono::seconds kStartLimit{60};
constexpr int kKilled = 128 + 9;

}  // namespace

void CommandCall::begin(const PodFolder& folder, std::span<const int> descriptors) {
  connection_ = connect_for_commands(folder.commands());
  if (!connection_) throw system_error("cannot reach the pod's shim", errno);
  if (!is_trusted_peer(connection_.get()))
    throw Error(ErrorCode::failure, "cannot reach the pod's shim", "another process has taken its place");
  if (!send_message(connection_.get(), to_json(command_).dump(), descriptors))
    throw system_error("cannot ask the pod's shim", errno);
  loop_.watch(connection_.get(), EPOLLIN, [this](uint32_t) { take_answers(); });
  deadline_ = loop_.after(kStartLimit, [this] {
    deadline_.reset();
    callbacks_.unanswered(internal_error_text("the pod's shim does not answer"));
  });
}

void CommandCall::take_answers() {
  while (const auto message = receive_message(connection_.get())) {
    CommandAnswer answer{};
    if (message->text.size() != sizeof answer) break;
    std::memcpy(&answer, message->text.data(), sizeof answer);
    answer.text[sizeof answer.text - 1] = '\0';
    take(answer);
    if (is_over_) return;
  }
  if (errno == EAGAIN) return;
  // The container has ended, and so has its keeper.
  end(has_started_ ? exit_code_text(words(), kKilled) : internal_error_text("the container has exited"));
}

void CommandCall::take(const CommandAnswer& answer) {
  forget_deadline();
  switch (answer.kind) {
    case CommandAnswer::started: has_started_ = true; break;
    case CommandAnswer::refused:
      end(internal_error_text("error executing command in container: " + std::string(answer.text)));
      break;
    case CommandAnswer::ended:
      end(answer.exit_code == 0 ? success_text() : exit_code_text(words(), answer.exit_code));
      break;
  }
}

void CommandCall::end(std::string status) {
  is_over_ = true;
  loop_.forget(connection_.get());
  callbacks_.ended(std::move(status));
}

void CommandCall::drop() {
  is_over_ = true;
  forget_deadline();
  if (connection_) loop_.forget(connection_.get());
  connection_ = Fd();
}

void CommandCall::forget_deadline() {
  if (deadline_) loop_.cancel(*deadline_);
  deadline_.reset();
}

std::string CommandCall::words() const {
  return join(command_.argv, " ");
}

}  // namespace kml::local
