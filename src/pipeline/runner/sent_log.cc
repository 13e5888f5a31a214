#include "pipeline/runner/sent_log.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "kml/base/error.h"
#include "kml/base/frames.h"
#include "kml/base/input_faults.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "pipeline/runner/step_pod.h"
#include "pipeline/runner/step_program.h"

namespace kml::pipeline {

namespace {

std::string main_container(const Json& pod) {
  return api::entry_name(array_at(pod, {"spec", "containers"}).at(0));
}

const Json* status_of_main(const Json& pod) {
  for (const Json& status : api::container_statuses(pod))
    if (api::entry_name(status) == main_container(pod)) return &status;
  return nullptr;
}

bool find_note(const Json& pod, Frames& frames) {
  const Json* status = status_of_main(pod);
  const Json* ended = status ? api::terminated_in(*status) : nullptr;
  return ended && api::exit_code_of(*ended) == 0 && find_frames_note(string_at(*ended, {"message"}), frames);
}

}  // namespace

const Json* reporting_pod(const std::vector<Json>& pods, const std::string& job) {
  Frames ignored;
  for (const Json& pod : pods)
    if (find_note(pod, ignored)) return &pod;
  if (!pods.empty())
    throw Error(ErrorCode::job_failed, "it succeeded, but did not report its outputs",
                "no pod of job " + job + " reports them in its termination message");
  return nullptr;
}

std::string sent_in_log(kube::Client& client, const Json& pod) {
  // Room for the first line, and for lines that the runtime may have added.
  constexpr long long kMoreLines = 20;
  Frames frames;
  find_note(pod, frames);
  // A busy node may send an error as the text of a log ("unable to retrieve container logs for ..."), with
  // status 200. So the log is requested again, for up to three seconds in total.
  constexpr int kMostTries = 5;
  for (int next_try = 1;; ++next_try) {
    const std::string log = client.log(
        api::namespace_of(pod), api::name_of(pod),
        {.container = main_container(pod), .tail_lines = static_cast<long long>(frames.count) + kMoreLines});
    std::string bytes;
    const char* const fault = read_frames(log, frames, bytes);
    if (!fault) return bytes;
    if (next_try == kMostTries)
      throw Error(ErrorCode::failure, "cannot read the outputs from the log of pod " + api::name_of(pod),
                  std::string(fault) + ": the node may have rotated its log, or something else writes to it",
                  "run the pipeline with --store pvc/NAME");
    std::this_thread::sleep_for(std::chrono::milliseconds(100) * (1 << next_try));
  }
}

std::string image_id(const Json& pod) {
  const Json* status = status_of_main(pod);
  return status ? string_at(*status, {"imageID"}) : std::string();
}

std::string lost_input_in(const std::string& line) {
  constexpr std::string_view kBegin = "kml-step: input ";
  if (!line.starts_with(kBegin)) return {};
  const std::string rest = line.substr(kBegin.size());
  const size_t end = rest.find(' ');
  const bool is_lost = rest.find(kInputMissing) == end || rest.find(kInputChanged) == end;
  return is_lost && end != std::string::npos ? rest.substr(0, end) : std::string();
}

std::string start_fault(const std::string& text) {
  const size_t at = text.find("kml-step: cannot create the folder " + std::string(kStepStore));
  if (at != std::string::npos && text.find("Permission denied", at) != std::string::npos)
    return "the pod's user cannot write to the volume of --store: make this user the owner of the volume's "
           "folder, or set securityContext.fsGroup in your own template";
  if (text.find(kStepPath) == std::string::npos) return {};
  if (text.find("exec format error") != std::string::npos)
    return "kml-step cannot run on the pod's node: this kml contains kml-step only for " +
           processors_of(pod_programs()) +
           " processors; choose nodes with such a processor (node-selector: kubernetes.io/arch=...), "
           "or use --in-cluster with an image for the nodes";
  if (text.find("permission denied") != std::string::npos)
    return "kml-step cannot run on the pod's node: the node mounts ConfigMaps with noexec, or a policy "
           "forbids running programs from ConfigMaps";
  return {};
}

}  // namespace kml::pipeline
