#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/kube/client/client.h"
#include "kml/kube/client/port_stream.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/hang/looks.h"

namespace kml::pod {

/// One request to NCCL's RAS in a pod, at localhost:28028. Does not wait: the response arrives during
/// Transport::wait.
class RasQuestion {
 public:
  /// `client` must outlive this object.
  RasQuestion(kube::Client& client, const RunningRank& rank);

  bool is_over() const { return is_over_; }
  bool has_answer() const { return is_over_ && !failure_; }
  /// If answer() throws, whether a later attempt may succeed: the request is still running, or the response
  /// was incomplete.
  bool is_late_or_cut() const;
  /// Throws Error if no response has arrived, or the request is still running.
  RasAnswer answer() const;

 private:
  std::string received_;
  bool is_over_ = false;
  std::optional<Error> failure_ = {};
  std::unique_ptr<kube::PortStream> stream_;
};

}  // namespace kml::pod
