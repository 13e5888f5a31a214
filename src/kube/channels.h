#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/http/websocket.h"
#include "kml/kube/client.h"

namespace kml::kube {

/// A WebSocket of the API server whose messages begin with a byte, the number of a channel
/// (k8s.io/apiserver/pkg/util/wsstream). Callbacks run inside Transport::wait, and may destroy the object.
class Channels {
 public:
  struct Handler {
    std::function<void()> on_open;
    /// Content may be empty. False: nothing more is wanted.
    std::function<bool(char channel, std::string_view content)> on_message;
    /// The last call. Null: the server closed it. Where the connection was never open it says why.
    std::function<void(const Error* error)> on_end;
  };
  struct Options {
    std::string path;      ///< with the query
    std::string protocol;  ///< the only one that is offered
    std::string tried;     ///< as in "cannot attach to pod \"bert-0\""
    std::string fix;       ///< where the server does not speak the protocol
  };

  /// Throws Error (unreachable) if there is no connection to the server. `client` must outlive it.
  Channels(Client& client, Options options, Handler handler);
  ~Channels();

  /// In frames that servers read; nothing for an empty content.
  void send(char channel, std::string_view content);
  /// One message as it is.
  void send_message(std::string_view message);
  size_t unsent() const;
  void pause(bool on);
  bool is_open() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kml::kube
