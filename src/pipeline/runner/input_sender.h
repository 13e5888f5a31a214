#pragma once

#include <set>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "pipeline/runner/claim_store.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Throws Error if the claim does not exist, because the pods would wait for it without any message to the
/// user.
Json require_claim(kube::Client& client, const ClaimStore& store, const std::string& namespace_name);

/// Whether the input is a file or folder on this machine.
bool is_to_send(const Json& input);

/// Copies files and folders from this machine to a store. The same content is only copied once.
class InputSender {
 public:
  /// The arguments must outlive this object.
  InputSender(kube::Client& client, const std::string& namespace_name, const job::Interrupt& interrupt)
      : client_(client), namespace_name_(namespace_name), interrupt_(interrupt) {}

  /// Sends those inputs of a step that are on this machine. They go through a pod with the image of `job`,
  /// which mounts the store as put_into_pods() does.
  void send(const Json& inputs, const ClaimStore& store, const Json& job);

 private:
  kube::Client& client_;
  const std::string& namespace_name_;
  const job::Interrupt& interrupt_;
  std::set<std::string> sent_;  ///< digests
};

/// The job of a step, with the store mounted for InputSender::send(). `claim` is the claim of the store.
Json job_with_store(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job,
                    const Json& claim);

/// The path of an input on the claim's volume, where a step has made it or send() has put it.
std::string place_on_claim(const ClaimStore& store, const Json& input);

}  // namespace kml::pipeline
