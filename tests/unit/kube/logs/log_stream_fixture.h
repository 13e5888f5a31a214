#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "kml/kube/logs/log_stream.h"
#include "support/fake_transport.h"

namespace log_stream_test {

using namespace kml;
using namespace kml::kube;
using namespace std::chrono_literals;

inline const std::string kPath = "/api/v1/namespaces/team/pods/p/log?follow=true&timestamps=true";
inline const std::string kA = "2026-01-01T00:00:10.000000001Z one\n",
                         kB = "2026-01-01T00:00:10.000000002Z two\n",
                         kC = "2026-01-01T00:00:11.000000000Z three\n",
                         kD = "2026-01-01T00:00:12.000000000Z four\n";

struct Fixture {
  FakeTransport transport;
  Client client{transport, [](std::chrono::milliseconds) {}};
  /// What the handler got: each line with "\n"; other events as "(end)", "(doubt)", "(gap LAST NEXT)", or the
  /// reason for a failure in parentheses.
  std::string said;
  size_t batches = 0;
  std::unique_ptr<LogStream> log;

  LogStreamHandler handler() {
    return {.on_lines =
                [this](std::span<const LogText> lines) {
                  ++batches;
                  for (const LogText& line : lines) said += std::string(line.text) + (line.ends ? "\n" : "~");
                },
            .on_doubt =
                [this] {
                  said += "(doubt)";
                  log->accept();
                },
            .on_gap =
                [this](Time last, Time next) {
                  said += "(gap " + rfc3339_nano(last) + " " + rfc3339_nano(next) + ")";
                },
            .on_lost = [this](std::string_view text) { said += "(" + std::string(text) + ")"; },
            .on_end = [this] { said += "(end)"; },
            .on_failure = [this](const Error& error) { said += "(" + error.why + ")"; }};
  }
  void start(LogOptions options = {}) {
    options.follow = true;
    log = make_log_stream(client, "team", "p", handler());
    log->ask(options);
  }
};

}  // namespace log_stream_test
