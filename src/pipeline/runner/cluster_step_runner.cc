#include "pipeline/runner/cluster_step_runner.h"

#include <algorithm>
#include <map>
#include <optional>

#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/one_node_volume.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/engine/local_outputs.h"
#include "pipeline/engine/sent_outputs.h"
#include "pipeline/runner/input_secrets.h"
#include "pipeline/runner/input_sender.h"
#include "pipeline/runner/job_step_runner.h"
#include "pipeline/runner/pod_bucket.h"
#include "pipeline/runner/sent_log.h"
#include "pipeline/runner/step_pod.h"
#include "pipeline/runner/step_program.h"
#include "pipeline/store/copy_tree.h"

namespace kml::pipeline {

namespace {

/// A pod can end with success although it was preempted or deleted while kml-step computed the digests of its
/// outputs.
Error lost_report(const std::string& why) {
  Error error(ErrorCode::job_failed, "it succeeded, but its outputs are lost", why);
  error.reason = kReportLost;
  return error;
}

class ClusterStepRunner final : public JobStepRunner {
 public:
  ClusterStepRunner(kube::Client& client, StepRunnerOptions step_options, const Pipeline& steps,
                    const LocalStore& store, const job::Interrupt& interrupt, Json claim)
      : JobStepRunner(client, std::move(step_options), steps, store, interrupt),
        store_(store),
        claim_(std::move(claim)),
        sender_(this->client(), this->options().namespace_name, interrupt),
        secrets_(options().id) {}

  std::string output_place(const std::string& run, const Step& step, int attempt,
                           const Output& output) const override {
    if (is_import(step)) return store_.output_path(run, step.name, attempt, output.name);
    if (!stays_on_claim(output)) return std::string(kStepOutputs) + output.name;
    return std::string(kStepStore) + output_on_claim(run, step, attempt, output);
  }
  std::string input_place(const std::string& input, const Json& made) const override {
    return is_on_claim(made) ? std::string(kStepMade) + place_on_claim(*options().store, made)
                             : std::string(kStepInputs) + input;
  }

  std::string image_id_of(const StepJob& job) override { return images_[job.name]; }
  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) override;

 private:
  static bool is_import(const Step& step) { return step.program && step.program->is_import(); }
  bool needs_no_job(const StepJob& job) const override { return is_import(*job.step); }
  std::optional<engine::JobReport> bring_inputs(const StepJob& job) override;
  Json imported(const StepJob& job) const;
  Json outputs_of(const StepJob& job) override;
  StepObjects objects_for(const StepJob& job) override;
  /// The parts of kml that the job's pods need, as ConfigMaps.
  struct Sent {
    Json program;                     ///< the ConfigMap with kml-step
    std::optional<PodBucket> bucket;  ///< of options().shared
  };
  const Sent& sent_for(Json& job);
  StepPod pod_for(const StepJob& job, const Sent& sent);
  void send_to_bucket(const Json& made);
  std::vector<Json> pods_of_job(const std::string& name);
  void explain(engine::JobReport& report);
  bool stays_on_claim(const Output& output) const { return options().store && is_tree(output.kind); }
  /// If there is a store, files on this machine are copied to it.
  bool is_on_claim(const Json& made) const { return is_on_volume(made) || options().store; }
  std::string output_on_claim(const std::string& run, const Step& step, int attempt,
                              const Output& output) const;

  const LocalStore& store_;
  const Json claim_;  ///< the claim in options().store
  InputSender sender_;
  InputSecrets secrets_;
  std::optional<std::vector<Json>> nodes_;  ///< the cluster's nodes; empty if they cannot be read
  std::map<std::string, Sent> sent_;        ///< the key is the processor of the nodes
  /// kinds by job, for jobs that this process has started
  std::map<std::string, const api::ResourceKind*> kinds_;
  std::map<std::string, std::string> images_;  ///< images by job, as seen by outputs_of()
};

const ClusterStepRunner::Sent& ClusterStepRunner::sent_for(Json& job) {
  if (!nodes_) {
    const kube::BriefQuery query{api::find_kind("v1", "Node"), "", "", kube::Detail::queue, {}, true};
    nodes_ = std::move(kube::list_briefly(client(), {&query, 1})[0].items);
  }
  const PodPrograms& programs = choose_programs(pod_programs(), *nodes_, job);
  const auto [sent, is_new] = sent_.try_emplace(programs.processor);
  if (is_new) {
    const std::string name = "kml-step-" + sha256_hex(programs.step).substr(0, 12) + "-" + options().id;
    sent->second.program = {{"apiVersion", "v1"},
                            {"kind", "ConfigMap"},
                            {"metadata", {{"name", name}}},
                            {"immutable", true},
                            {"binaryData", {{kStepKey, base64_encoded(programs.step)}}}};
    if (options().shared)
      sent->second.bucket = pod_bucket(options().shared->settings(), programs.packed_s3, options().id);
  }
  return sent->second;
}

/// The path of the output on the claim's volume.
std::string ClusterStepRunner::output_on_claim(const std::string& run, const Step& step, int attempt,
                                               const Output& output) const {
  return options().store->place("v1/data/" + run + "/" + step.name + "/" + std::to_string(attempt) + "/" +
                                output.name);
}

StepPod ClusterStepRunner::pod_for(const StepJob& job, const Sent& sent) {
  StepPod pod{.program = api::name_of(sent.program), .claim = options().store ? options().store->claim : ""};
  if (sent.bucket) pod.bucket = sent.bucket->bucket;
  for (const auto& [name, made] : job.inputs.items())
    if (made.contains("digest"))
      pod.inputs.push_back(
          {name, string_at(made, {"digest"}), input_place(name, made),
           sent.bucket || is_on_claim(made) ? std::vector<std::string>() : secrets_.names(made)});
  for (const Output& output : job.step->outputs)
    if (output.kind != OutputKind::metric)
      pod.outputs.push_back(
          {output.name, std::string(name_of(output.kind)),
           output.path.empty() ? output_place(options().run, *job.step, job.attempt, output) : output.path,
           job.step->program != nullptr});
  if (job.step->program) {
    const std::string said(StepProgram::kResultFile);
    pod.outputs.push_back(
        {said, std::string(name_of(OutputKind::value)), std::string(kStepOutputs) + said, true});
  }
  return pod;
}

StepObjects ClusterStepRunner::objects_for(const StepJob& job) {
  if (!options().store && !options().shared) refuse_large_inputs(job);
  StepObjects objects = step_objects(options(), pipeline(), job);
  kinds_[job.name] = &client().kind_of(objects.job);
  const Sent& sent = sent_for(objects.job);
  put_into_pods(pod_for(job, sent), objects.job);
  if (options().store) {
    job::each_pod_template(objects.job, [&](Json& pod, int) { engine::keep_on_one_node(claim_, pod); });
    sender_.send(job.inputs, *options().store, objects.job);
  }
  make_once(sent.program);
  if (sent.bucket)
    for (const Json& object : sent.bucket->objects) make_once(object);
  for (const auto& [name, made] : job.inputs.items()) {
    if (!made.contains("digest") || is_on_claim(made)) continue;
    if (sent.bucket)
      send_to_bucket(made);
    else
      for (Json& secret : secrets_.objects(made)) make_once(std::move(secret));
  }
  return objects;
}

/// Sweeps and served models are started by other commands of kml, which only mount what is on the claim.
std::optional<engine::JobReport> ClusterStepRunner::bring_inputs(const StepJob& job) {
  const bool is_own_command = is_sweep(*job.step) || is_serve(*job.step);
  if (options().store && is_own_command && std::any_of(job.inputs.begin(), job.inputs.end(), is_to_send))
    sender_.send(job.inputs, *options().store, job_with_store(options(), pipeline(), job, claim_));
  return {};
}

/// Outputs that steps made in pods are already in the bucket.
void ClusterStepRunner::send_to_bucket(const Json& made) {
  S3Store& store = *options().shared;
  if (string_at(made, {"store"}) != store.name() && !store.has(made)) store.send(made);
}

/// The file is on the engine's machine, and no pod can read it. Copies it, so that later changes do not
/// matter.
Json ClusterStepRunner::imported(const StepJob& job) const {
  const Json* file = find(job.inputs, {StepProgram::kImportedFile});
  if (!file)
    throw usage_error(
        "on a cluster, cannot import a file whose URI comes from another task",
        "kml copies from this machine only files that the pipeline or its parameters name",
        "name the file in the pipeline, or run the pipeline on this machine: kml --context local run");
  const LocalOutputs outputs(store_);
  outputs.prepare(job);
  copy_tree(string_at(*file, {"path"}), string_at(*file, {"digest"}),
            string_at(job.scope.at("out"), {job.step->outputs.at(0).name}), true);
  Json made = outputs.made_by(job);
  if (options().shared)
    for (Json& output : made) {
      options().shared->send(output);
      output["store"] = options().shared->name();
    }
  return made;
}

Json ClusterStepRunner::outputs_of(const StepJob& job) {
  if (is_import(*job.step)) return imported(job);
  const auto& outputs = job.step->outputs;
  const bool has_outputs =
      job.step->program || std::any_of(outputs.begin(), outputs.end(), [](const Output& output) {
        return output.kind != OutputKind::metric;
      });
  if (!has_outputs) return Json::object();
  const std::vector<Json> pods = pods_of_job(job.name);
  const Json* pod = reporting_pod(pods, job.name);
  if (!pod) throw lost_report("the pod of job " + job.name + " was removed before kml could read them");
  images_[job.name] = image_id(*pod);
  std::string sent;
  try {
    sent = sent_in_log(client(), *pod);
  } catch (const Error& error) {
    if (error.reason == "NotFound") throw lost_report(message_and_why(error));
    throw;
  }
  if (options().shared)
    return read_sent(sent, job, [&](const Output& output, const std::string& digest) {
      return Json{{"path", store_.shared_path(digest, output.name)}, {"store", options().shared->name()}};
    });
  if (!options().store) return keep_sent(sent, options().run, job, store_);
  return read_sent(sent, job, [&](const Output& output, const std::string& /*digest*/) {
    const std::string place = output_on_claim(options().run, *job.step, job.attempt, output);
    return Json{{"path", "pvc/" + options().store->claim + "/" + place},
                {"onClaim", place},
                {"target", options().store->target}};
  });
}

/// The pods of the job. Empty if the job no longer exists, or if the step is a sweep or serves a model.
std::vector<Json> ClusterStepRunner::pods_of_job(const std::string& name) {
  const auto kind = kinds_.find(name);
  if (kind == kinds_.end()) return {};
  const auto job = client().get_if_exists(*kind->second, options().namespace_name, name);
  return job ? job::pods_of(client(), *job) : std::vector<Json>();
}

std::vector<engine::JobReport> ClusterStepRunner::wait(std::chrono::milliseconds limit) {
  std::vector<engine::JobReport> reports = JobStepRunner::wait(limit);
  for (engine::JobReport& report : reports)
    if (report.kind == engine::JobReport::Kind::ended && !report.succeeded) try {
        explain(report);
      } catch (const Error& error) {
        if (error.code == ErrorCode::interrupted) throw;  // after any other error, the report is unchanged
      }
  return reports;
}

/// If kml-step could not run, replaces the node's message, because that does not say what to do. Also checks
/// whether an input has disappeared, because that input can be made again.
void ClusterStepRunner::explain(engine::JobReport& report) {
  if (!report.last_lines.empty()) report.lost_input = lost_input_in(report.last_lines.back());
  std::string text = report.cause + "\n" + join(report.last_lines, "\n");
  for (const Json& pod : pods_of_job(report.job))
    for (const Json& status : api::container_statuses(pod))
      if (const Json* ended = api::terminated_in(status)) text += "\n" + string_at(*ended, {"message"});
  const std::string fault = start_fault(text);
  if (fault.empty()) return;
  report.cause = fault;
  report.last_lines.clear();
}

}  // namespace

std::unique_ptr<StepRunner> make_cluster_step_runner(kube::Client& client, StepRunnerOptions options,
                                                     const Pipeline& pipeline, const LocalStore& store,
                                                     const job::Interrupt& interrupt) {
  Json claim = options.store ? require_claim(client, *options.store, options.namespace_name) : Json();
  return std::make_unique<ClusterStepRunner>(client, std::move(options), pipeline, store, interrupt,
                                             std::move(claim));
}

}  // namespace kml::pipeline
