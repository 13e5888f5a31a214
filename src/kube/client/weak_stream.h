#pragma once

#include <memory>

#include "kml/net/http/transport.h"
#include "kube/client/channels.h"

namespace kml::kube {

/// The callbacks of a stream. They call the owner's take(data) and end(response, broken) as long as the owner
/// exists. Either call may destroy the owner, and the stream with it.
template <typename Owner>
http::StreamHandler weak_handler(std::weak_ptr<Owner> weak) {
  return {.on_data =
              [weak](std::string_view data) {
                if (auto owner = weak.lock()) owner->take(data);
                return true;
              },
          .on_end =
              [weak](const http::Response& response, const Error* broken) {
                if (auto owner = weak.lock()) owner->end(response, broken);
              }};
}

/// Like weak_handler(), for Channels: the callbacks call the owner's open(), take(channel, content) and
/// end(error).
template <typename Owner>
Channels::Handler weak_channels(std::weak_ptr<Owner> weak) {
  return {.on_open =
              [weak] {
                if (auto owner = weak.lock()) owner->open();
              },
          .on_message =
              [weak](char channel, std::string_view content) {
                auto owner = weak.lock();
                return owner && owner->take(channel, content);
              },
          .on_end =
              [weak](const Error* error) {
                if (auto owner = weak.lock()) owner->end(error);
              }};
}

}  // namespace kml::kube
