#include "live/commands/pulse.h"

#include <chrono>

#include "kml/base/error.h"

namespace kml::cli {

namespace {

constexpr std::chrono::seconds kPause{10}, kPatience{10}, kPauseInTrouble{1};

}  // namespace

void Pulse::beat() {
  if (!is_asking_ && transport_.now() >= next_) ask();
}

/// Any response suffices, even one that denies this user the request.
void Pulse::ask() {
  is_asking_ = true;
  const auto on_end = [this](const http::Response& response, const Error* broken) {
    is_asking_ = false;
    trouble_ = response.status == 0 && broken ? message_and_why(*broken) : "";
    next_ = transport_.now() + (trouble_.empty() ? kPause : kPauseInTrouble);
  };
  stream_ = transport_.stream({.path = "/version", .timeout = kPatience},
                              {.on_data = [](std::string_view) { return true; }, .on_end = on_end});
}

}  // namespace kml::cli
