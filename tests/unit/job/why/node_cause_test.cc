#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/why.h"

namespace node_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

job::Cause of_waiting(const std::string& reason, const std::string& message,
                      const std::vector<Json>& events = {}) {
  const Json bert = make_job("bert");
  Known known(bert, {waiting(make_pod(bert), reason, message)});
  known.facts.events = events;
  return known.cause();
}

/// A running pod as a real cluster leaves it once its node is gone: only the condition Ready has changed.
Json on_dead_node(const Json& job) {
  Json its = on_node(make_pod(job), "n3");
  its["spec"]["tolerations"] = parse_json(R"([{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
      "effect": "NoExecute", "tolerationSeconds": 300}, {"key": "node.kubernetes.io/unreachable", "operator": "Exists",
      "effect": "NoExecute", "tolerationSeconds": 300}])",
                                          "tolerations");
  its["status"]["containerStatuses"] =
      Json::array({{{"name", "main"}, {"ready", true}, {"state", {{"running", Json::object()}}}}});
  its["status"]["conditions"] =
      parse_json(R"([{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T01:58:00Z"},
      {"type": "ContainersReady", "status": "True"}, {"type": "PodScheduled", "status": "True"}])",
                 "conditions");
  return its;
}

Json dead_node() {
  Json its = node("n3", 1);
  its["status"]["conditions"] =
      parse_json(R"([{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
      "message": "Kubelet stopped posting node status.", "lastTransitionTime": "2026-01-01T01:58:00Z"}])",
                 "conditions");
  return its;
}

}  // namespace

TEST_CASE("why: a pod on a node that does not answer is not running, whatever its phase") {
  Json bert = make_job("bert");
  Known known(bert, {on_dead_node(bert)});
  known.facts.node = dead_node();
  job::Cause cause = known.cause();
  CHECK(cause.code == CauseCode::node_lost);
  CHECK(cause.summary ==
        "node n3 of pod bert-0 does not answer since 2026-01-01T01:58:00Z (2m); the pod is deleted in about "
        "3m; "
        "another pod then takes its place");
  CHECK(cause.message == "Kubelet stopped posting node status.");
  bert["spec"]["podFailurePolicy"]["rules"] =
      Json::array();  // by default, a pod is replaced only after it has ended
  Known kept(bert, {on_dead_node(bert)});
  kept.facts.node = dead_node();
  CHECK(kept.cause().summary.find("once the node answers again or is removed") != std::string::npos);

  const Json lost = on_dead_node(bert);
  const Json* const pods[] = {&lost};
  const job::JobView view = job::view_of_job(bert, pods);  // a table does not read the nodes
  CHECK(view.state == job::State::waiting);
  CHECK(view.cause == "node n3 does not answer");
  CHECK(view.running == 0);
  Json unready = on_dead_node(bert);  // the pod fails its own probe
  unready["status"]["conditions"][1]["status"] = "False";
  CHECK(Known(bert, {unready}).cause().code == CauseCode::running);
  unready["status"]["conditions"][1]["status"] = "True";
  unready["status"]["conditions"][0]["reason"] = "ReadinessGatesNotReady";
  CHECK(Known(bert, {unready}).cause().code == CauseCode::running);
}

TEST_CASE("why: a stopped job is not over while its pod may run on a node that does not answer") {
  const std::string at = "2026-01-01T01:59:00Z";
  Json plain = make_job("bert"), cancelled = plain, suspended = plain;
  cancelled["metadata"]["annotations"]["kml.dev/cancelled"] = at;
  Json cancelled_while_waiting = cancelled;
  for (Json* each : {&suspended, &cancelled_while_waiting}) (*each)["spec"]["suspend"] = true;
  Json failed = with_condition(cancelled, "Failed", "BackoffLimitExceeded");
  Json lost = on_dead_node(plain), stopping = lost;
  stopping["metadata"]["deletionTimestamp"] = "2026-01-01T01:59:30Z";
  const std::string brief = "node n3 does not answer: pod bert-0 may still run";
  const std::string but =
      ", but node n3 has not answered since 2026-01-01T01:58:00Z (2m): pod bert-0 may still run until the "
      "node "
      "answers again or is removed from the cluster";
  struct Row {
    const char* what;
    Json job;
    job::State state;
    CauseCode code;
    std::string brief, summary;
  };
  using job::State;
  for (const Row& row : std::vector<Row>{
           {"cancelled", cancelled, State::cancelling, CauseCode::node_lost, brief,
            "was cancelled at " + at + but},
           {"cancelled while it waited", cancelled_while_waiting, State::cancelling, CauseCode::node_lost,
            brief, "was cancelled at " + at + but},
           {"suspended", suspended, State::suspended, CauseCode::suspended, brief, "is suspended" + but},
           {"it has ended", failed, State::cancelled, CauseCode::node_lost, brief,
            "was cancelled at " + at + but}})
    for (const Json& pod : {lost, stopping}) {
      CAPTURE(std::string(row.what));
      Known known(row.job, {pod});
      const job::JobView view = job::view_of_job(row.job, known.pointers);
      CHECK(view.state == row.state);
      CHECK(view.cause == row.brief);
      CHECK(known.cause().code == row.code);
      CHECK(known.cause().summary == row.summary);
    }
}

TEST_CASE("why: a rejection by a node or a runtime has its own cause") {
  const Json bert = make_job("bert");
  struct Case {
    const char *reason, *message;
    CauseCode code;
  };
  for (const Case& one : std::vector<Case>{
           {"ErrImagePull", "no match for platform in manifest: not found", CauseCode::image_platform},
           {"ImagePullBackOff",
            "Back-off: ErrImagePull: no matching manifest for linux/arm64 in the manifest list entries",
            CauseCode::image_platform},
           {"RunContainerError", "exec /train: exec format error", CauseCode::image_platform},
           {"CreateContainerError", "exec: \"/train\": Exec format error", CauseCode::image_platform}}) {
    CAPTURE(one.message);
    CHECK(of_waiting(one.reason, one.message).code == one.code);
  }
  const Json its = make_pod(bert);
  const auto after_event = [&](const char* reason, const char* message) {
    return of_waiting("ContainerCreating", "", {event(its, reason, message)});
  };
  CHECK(after_event("FailedCreatePodSandBox", "plugin type=\"calico\" failed (add): no IP addresses").code ==
        CauseCode::pod_sandbox);
  CHECK(after_event("FailedCreatePodSandBox", "failed to setup network for sandbox").brief ==
        "no network on its node");
  CHECK(after_event("FailedCreatePodSandBox", "no runtime for \"gvisor\" is configured").brief ==
        "its node cannot set up the pod");
  CHECK(after_event("NetworkNotReady", "network is not ready").code == CauseCode::pod_sandbox);
  CHECK(after_event("FailedAttachVolume", "Multi-Attach error for volume").code == CauseCode::volume_mount);
}

TEST_CASE("why: a network error, or a registry that fails, is not reported as denied access to the image") {
  struct Row {
    const char* message;
    CauseCode code;
  };
  // As containerd 1.7 and 2.0 word them.
  for (const auto& [message, code] : std::initializer_list<Row>{
           {"failed to copy: httpReadSeeker: failed open: unexpected status code "
            "https://registry-1.docker.io/v2/"
            "library/img/manifests/sha256:0: 429 Too Many Requests - Server message: toomanyrequests: You "
            "have "
            "reached your pull rate limit. You may increase the limit by authenticating",
            CauseCode::image_rate_limited},
           {"failed to authorize: failed to fetch anonymous token: unexpected status from GET request to "
            "https://auth.example/token: 429 Too Many Requests",
            CauseCode::image_rate_limited},
           {"failed to authorize: failed to fetch anonymous token: Get \"https://auth.example/token\": dial "
            "tcp: "
            "lookup auth.example: no such host",
            CauseCode::image_unreachable},
           {"failed to authorize: failed to fetch anonymous token: Get \"https://auth.example/token\": "
            "net/http: "
            "TLS handshake timeout",
            CauseCode::image_unreachable},
           {"failed to do request: Head \"https://registry.example/v2/img/manifests/1\": tls: failed to "
            "verify "
            "certificate: x509: certificate signed by unknown authority",
            CauseCode::image_unreachable},
           {"failed to authorize: failed to fetch anonymous token: unexpected status from GET request to "
            "https://auth.example/token: 503 Service Unavailable",
            CauseCode::image_unreachable},
           {"failed to extract layer sha256:0: write /var/lib/containerd/x: no space left on device",
            CauseCode::disk_full},
           {"failed to authorize: failed to fetch anonymous token: unexpected status from GET request to "
            "https://auth.example/token: 403 Forbidden",
            CauseCode::image_forbidden}}) {
    CAPTURE(message);
    const auto cause = of_waiting("ErrImagePull", message);
    CHECK(cause.code == code);
    CHECK((cause.outlook == job::Outlook::waits) == (code != CauseCode::image_forbidden));
  }
}

}  // namespace node_cause_test
