#pragma once

#include <set>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "pipeline/runner/claim_store.h"

namespace kml::pipeline {

/// Throws Error if the claim does not exist, because the pods would wait for it without a message to the
/// user.
Json require_claim(kube::Client& client, const ClaimStore& store, const std::string& namespace_name);

/// Copies files and folders on this machine to a store, each content once.
class InputSender {
 public:
  /// The arguments must outlive this object.
  InputSender(kube::Client& client, const std::string& namespace_name, const job::Interrupt& interrupt)
      : client_(client), namespace_name_(namespace_name), interrupt_(interrupt) {}

  /// Sends those of a step's inputs that are on this machine, by a pod with the image of `job`, which mounts
  /// the store as put_into_pods() does.
  void send(const Json& inputs, const ClaimStore& store, const Json& job);

 private:
  kube::Client& client_;
  const std::string& namespace_name_;
  const job::Interrupt& interrupt_;
  std::set<std::string> sent_;  ///< digests
};

/// Where an input is in the claim's volume: where a step made it, or where send() puts it.
std::string place_on_claim(const ClaimStore& store, const Json& input);

}  // namespace kml::pipeline
