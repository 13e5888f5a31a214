#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kml/kube/client/client.h"
#include "kml/net/http/websocket.h"

namespace kml::kube {

/// A WebSocket connection to the API server. The first byte of each message is a channel number
/// (k8s.io/apiserver/pkg/util/wsstream). Callbacks are called during Transport::wait, and may destroy this
/// object.
class Channels {
 public:
  struct Handler {
    std::function<void()> on_open;
    /// `content` may be empty. Returns false to stop receiving messages.
    std::function<bool(char channel, std::string_view content)> on_message;
    /// Called last. `error` is null if the server closed the connection; otherwise it says why the connection
    /// failed or could not be opened.
    std::function<void(const Error* error)> on_end;
  };
  struct Options {
    std::string path;      ///< the path with its query
    std::string protocol;  ///< the only subprotocol offered to the server
    std::string tried;     ///< the attempted action, for messages: "cannot attach to pod \"bert-0\""
    std::string fix;       ///< the fix if the server does not support this
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
