#include "pipeline/runner/input_sender.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/engine/in_cluster/one_node_volume.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pod/copy/helper_pod.h"
#include "kml/pod/copy/put_once.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

namespace {

/// A folder in a store for the files that were sent from this machine. Each file or folder is at DIGEST/data
/// there.
constexpr const char* kSentInputs = "v1/inputs/";
constexpr const char* kSentName = "data";

}  // namespace

bool is_to_send(const Json& input) {
  return input.contains("digest") && !is_on_volume(input);
}

Json require_claim(kube::Client& client, const ClaimStore& store, const std::string& namespace_name) {
  const api::ResourceKind& kind = *api::find_kind("v1", "PersistentVolumeClaim");
  std::optional<Json> claim = client.get_if_exists(kind, namespace_name, store.claim);
  if (!claim)
    throw usage_error("no volume claim \"" + store.claim + "\" for --store",
                      "namespace " + namespace_name + " has no such claim",
                      "create this claim with access mode ReadWriteMany, or name another claim");
  return std::move(*claim);
}

std::string place_on_claim(const ClaimStore& store, const Json& input) {
  if (!is_to_send(input)) return string_at(input, {"onClaim"});
  return store.place(std::string(kSentInputs) + string_at(input, {"digest"}) + "/" + kSentName);
}

void InputSender::send(const Json& inputs, const ClaimStore& store, const Json& job) {
  std::optional<pod::HelperPod> helper;
  for (const auto& [name, input] : inputs.items()) {
    if (!is_to_send(input) || sent_.contains(string_at(input, {"digest"}))) continue;
    const auto plan =
        pod::helper_for_job(job, std::string(kStepStore) + place_on_claim(store, input), "", false);
    if (!helper) helper.emplace(client_, namespace_name_, *plan, [](const std::string&) {});
    const pod::PodPath folder{helper->wait(interrupt_), store.text(),
                              plan->path.substr(0, plan->path.rfind('/'))};
    pod::put_once(client_, string_at(input, {"path"}), folder, kSentName,
                  {.note = [](const std::string&) {}, .progress = [](std::uintmax_t, std::uintmax_t) {}},
                  interrupt_);
    sent_.insert(string_at(input, {"digest"}));
  }
}

Json job_with_store(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job,
                    const Json& claim) {
  Json object = step_objects(options, pipeline, job).job;
  put_into_pods({.program = "kml-step", .claim = api::name_of(claim)}, object);
  job::each_pod_template(object, [&](Json& pod, int) { engine::keep_on_one_node(claim, pod); });
  return object;
}

Json send_inputs(kube::Client& client, const StepRunnerOptions& options, const Pipeline& pipeline,
                 const StepJob& job) {
  const ClaimStore& store = options.store.value();
  const Json claim = require_claim(client, store, options.namespace_name);
  const Json object = job_with_store(options, pipeline, job, claim);
  const job::Interrupt interrupt;
  InputSender(client, options.namespace_name, interrupt).send(job.inputs, store, object);
  Json sent = job.inputs;
  for (Json& input : sent) {
    if (!is_to_send(input)) continue;
    const std::string place = place_on_claim(store, input);
    input = {{"digest", input["digest"]},
             {"path", "pvc/" + store.claim + "/" + place},
             {"onClaim", place},
             {"target", store.target}};
  }
  return sent;
}

}  // namespace kml::pipeline
