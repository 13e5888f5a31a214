#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kml/net/http/websocket.h"
#include "support/fake_transport.h"

namespace kml {

/// A server that accepts any key, because the test defines the answer before the key is known.
struct AgreeingTransport : FakeTransport {
  std::unique_ptr<http::Connection> upgrade(http::Request request, http::ConnectionHandler handler) override {
    std::string key;
    for (const auto& [name, value] : request.headers)
      if (name == "Sec-WebSocket-Key") key = value;
    handler.on_open = [key, this, on_open = handler.on_open](http::Response response) {
      response.headers = {{"sec-websocket-accept", is_strange ? "strange" : http::websocket::accept_of(key)},
                          {"sec-websocket-protocol", protocol}};
      on_open(response);
    };
    return FakeTransport::upgrade(std::move(request), std::move(handler));
  }
  bool is_strange = false;
  std::string protocol = "v5.channel.k8s.io";
};

}  // namespace kml
