#include <doctest/doctest.h>

#include "job/control/narration.h"
#include "kml/base/error.h"
#include "kml/job/control/control.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace control_described_kinds_test {

using namespace kml;
using namespace kml::job;

namespace {

Json object(const char* version, const char* kind, Json spec) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata", {{"name", "a"}, {"namespace", "lab"}, {"uid", "u"}}},
          {"spec", std::move(spec)}};
}

/// Lets the server have the object's kind, which kml asks for if it knows the kind from a file.
void serve_kind(FakeTransport& transport, const Json& object) {
  const api::ResourceKind& kind = *api::kind_of(object);
  transport.answer("GET", "/apis/" + kind.api_version(),
                   {{"resources", {{{"name", kind.plural}, {"kind", kind.kind}, {"namespaced", true}}}}});
}

/// The body of the PATCH of the job that `act` sends.
template <typename Act>
Json change_by(const Json& job, const Act& act) {
  FakeTransport transport;
  kube::Client client(transport);
  serve_kind(transport, job);
  transport.answer("PATCH", api::kind_of(job)->path("lab", "a"), job);
  act(client, job);
  return Json::parse(transport.requests.back().body);
}

}  // namespace

TEST_CASE("control: a LeaderWorkerSet gets back its replicas when it is resumed") {
  const Json set = object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {{"replicas", 3}});
  const Json off = change_by(set, [](kube::Client& client, const Json& job) { suspend(client, job); });
  CHECK(off["spec"]["replicas"] == 0);
  CHECK(off["metadata"]["annotations"]["kml.dev/suspended-value"] == "3");

  Json suspended = set;
  suspended.merge_patch(off);
  const Json again =
      change_by(suspended, [](kube::Client& client, const Json& job) { suspend(client, job); });
  CHECK_FALSE(again.contains("metadata"));  // otherwise, 0 would be kept

  const Json on = change_by(suspended, [](kube::Client& client, const Json& job) { resume(client, job); });
  CHECK(on["spec"]["replicas"] == 3);
  CHECK(on["metadata"]["annotations"].at("kml.dev/suspended-value").is_null());
}

TEST_CASE("control: kml cannot restore replicas that it did not change") {
  const Json set = object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {{"replicas", 0}});
  FakeTransport transport;
  kube::Client client(transport);
  CHECK_THROWS_AS(resume(client, set), Error);
  CHECK(transport.requests.empty());
}

TEST_CASE("control: a null in a kind's patch removes the field") {
  const Json workflow = object("argoproj.io/v1alpha1", "Workflow", {{"suspend", true}});
  const Json change = change_by(workflow, [](kube::Client& client, const Json& job) { resume(client, job); });
  CHECK(change == Json{{"spec", {{"suspend", nullptr}}}});
}

TEST_CASE("wait: a job whose state is unknown is reported once, with the expression") {
  JobView job;
  job.name = "bert";
  job.state = State::unknown;
  job.cause = "`running: status.active > 0` of kind T cannot be evaluated";
  Narration narration;
  CHECK(narration.next(job) ==
        "the state of bert is unknown: `running: status.active > 0` of kind T cannot be evaluated");
  CHECK(narration.next(job).empty());
}

}  // namespace control_described_kinds_test
