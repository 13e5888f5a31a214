#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/kube/client/client.h"
#include "kml/net/http/websocket.h"

namespace kml::kube {

/// A WebSocket of the API server whose messages start with a byte, the number of a channel
/// (k8s.io/apiserver/pkg/util/wsstream). Callbacks run inside Transport::wait, and may destroy the object.
class Channels {
 public:
  struct Handler {
    std::function<void()> on_open;
    /// `content` may be empty. Return false to get no more messages.
    std::function<bool(char channel, std::string_view content)> on_message;
    /// The last callback. `error` is null if the server closed the connection; otherwise it says why the
    /// connection failed or could not be opened.
    std::function<void(const Error* error)> on_end;
  };
  struct Options {
    std::string path;      ///< with the query
    std::string protocol;  ///< the only subprotocol that is offered
    std::string tried;     ///< for messages: "cannot attach to pod \"bert-0\""
    std::string fix;       ///< what to do if the server does not support it
  };

  /// Throws Error (unreachable) if it cannot connect to the server. `client` must outlive this object.
  Channels(Client& client, Options options, Handler handler);
  ~Channels();

  /// Splits content into frames that servers accept. Sends nothing if it is empty.
  void send(char channel, std::string_view content);
  /// Sends one message unchanged.
  void send_message(std::string_view message);
  size_t unsent() const;
  void pause(bool on);
  bool is_open() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
