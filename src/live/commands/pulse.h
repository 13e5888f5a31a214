#pragma once

#include <memory>
#include <string>

#include "kml/net/http/transport.h"

namespace kml::cli {

/// Asks a server for its version now and then, because a silent watch does not show whether nothing changes,
/// the server has frozen, or the network drops packets.
class Pulse {
 public:
  /// `transport` must outlive this object. Answers arrive in its wait().
  explicit Pulse(http::Transport& transport) : transport_(transport) {}

  /// Asks again if it is time.
  void beat();
  /// Why the server does not answer; empty if it does, or was not asked yet.
  const std::string& trouble() const { return trouble_; }

 private:
  void ask();

  http::Transport& transport_;
  std::unique_ptr<http::Stream> stream_;
  bool is_asking_ = false;
  http::SteadyTime next_ = {};
  std::string trouble_;
};

}  // namespace kml::cli
