#include <doctest/doctest.h>

#include <algorithm>

#include "job/queue/brief.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/render/render.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "kube/list/brief_fields.h"
#include "support/fake_transport.h"

namespace gpus_test {

using namespace kml;
using namespace kml::job;

namespace {

Json container(const char* gpus, const char* resource = "nvidia.com/gpu") {
  return {{"name", "main"}, {"resources", {{"limits", {{"cpu", "1"}, {resource, gpus}}}}}};
}
Json sidecar(const char* gpus) {
  Json made = container(gpus);
  made["restartPolicy"] = "Always";
  return made;
}

struct Row {
  const char* what;
  Json init, main;
  long long gpus;
  Json more = Json::object();
};

const Row kRows[] = {
    {"one container", {}, {container("2")}, 2},
    {"two containers", {}, {container("2"), container("1")}, 3},
    {"a larger init container", {container("4")}, {container("2")}, 4},
    {"a smaller init container", {container("1")}, {container("2")}, 2},
    {"init containers run one after another", {container("3"), container("4")}, {container("2")}, 4},
    {"an init container alone", {container("1")}, {{{"name", "main"}}}, 1},
    {"a sidecar", {sidecar("1")}, {container("2")}, 3},
    {"an init container beside a sidecar", {sidecar("1"), container("4")}, {container("2")}, 5},
    {"an init container before a sidecar", {container("4"), sidecar("1")}, {container("2")}, 4},
    {"different resources", {container("2", "nvidia.com/mig-1g.5gb")}, {container("1")}, 3},
    {"a pod has no GPUs as a whole",
     {},
     {container("1")},
     1,
     {{"resources", {{"limits", {{"nvidia.com/gpu", "8"}}}}}}},
    {"GPUs that kml claims",
     {container("1")},
     {{{"name", "main"}}},
     3,
     {{"resourceClaims", {{{"name", "kml-gpus-2"}}}}}},
};

Json spec_of(const Row& row) {
  Json spec = {{"containers", row.main}};
  if (!row.init.is_null()) spec["initContainers"] = row.init;
  spec.update(row.more);
  return spec;
}

Json job_of(const Row& row) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "a"}}},
          {"spec", {{"parallelism", 2}, {"completions", 2}, {"template", {{"spec", spec_of(row)}}}}}};
}

/// The object as a list has it.
Json kept(const Json& object, kube::Detail detail) {
  Json brief = object;
  kube::keep_only(kube::brief_fields(*api::kind_of(object), detail), brief);
  for (const char* part : {"apiVersion", "kind"}) brief[part] = object.at(part);
  return brief;
}

}  // namespace

TEST_CASE("gpus: a pod has as many GPUs as the scheduler counts, wherever kml shows them") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    const Json spec = spec_of(row), job = job_of(row);
    CHECK(gpus_of_pod(spec) == row.gpus);
    for (const Json& seen : {job, brief(job), kept(job, kube::Detail::table), kept(job, kube::Detail::queue)})
      CHECK(basic_view_of_job(seen).gpus == 2 * row.gpus);
    const Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", spec}};
    for (const Json& seen : {brief(pod), kept(pod, kube::Detail::queue)})
      CHECK(gpus_of_pod(seen.at("spec")) == row.gpus);
    if (row.more.contains("resourceClaims")) continue;
    int64_t requested = 0;
    for (const auto& [name, amount] : api::pod_requests(spec))
      requested += api::is_gpu_resource(name) ? amount / api::kMilli : 0;
    CHECK(requested == row.gpus);
  }
}

TEST_CASE("gpus: submit reports as many GPUs as the scheduler counts") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    const render::Rendered rendered = render::render({}, std::vector<Json>{job_of(row)});
    const std::string note = "2 pods × " + std::to_string(row.gpus) + (row.gpus == 1 ? " GPU" : " GPUs");
    CHECK(std::find(rendered.notes.begin(), rendered.notes.end(), note) != rendered.notes.end());
  }
}

TEST_CASE("gpus: the type of a GPU that only an init container uses is known") {
  const Json slice = {{"initContainers", {container("1", "nvidia.com/mig-1g.5gb")}},
                      {"containers", {{{"name", "main"}}}}};
  CHECK(gpu_type_of_pod(slice) == "mig-1g.5gb");
  const Json card = {{"initContainers", {container("1")}},
                     {"containers", {{{"name", "main"}}}},
                     {"nodeSelector", {{"nvidia.com/gpu.product", "Tesla-T4"}}}};
  CHECK(gpu_type_of_pod(card) == "t4");
}

TEST_CASE("gpus: a manifest cannot make the number of GPUs overflow") {
  const Json spec = {{"containers", {container("9e18"), container("9e18"), container("-5")}}};
  CHECK(gpus_of_pod(spec) == 2'000'000);
}

TEST_CASE("gpus: the list shows the GPUs of a job whose kind has no pod templates") {
  FakeTransport transport;
  const Json workflow = {{"metadata", {{"name", "etl"}, {"namespace", "lab"}}}, {"spec", Json::object()}};
  const Json pod = {{"metadata",
                     {{"name", "etl-1"},
                      {"namespace", "lab"},
                      {"labels", {{"workflows.argoproj.io/workflow", "etl"}}},
                      {"ownerReferences",
                       {{{"apiVersion", "argoproj.io/v1alpha1"},
                         {"kind", "Workflow"},
                         {"name", "etl"},
                         {"controller", true}}}}}},
                    {"spec", {{"containers", {container("2")}}, {"initContainers", {container("4")}}}},
                    {"status", {{"phase", "Running"}}}};
  transport.answer("GET", "/api/v1/namespaces/lab/pods", {{"items", Json::array({pod})}});
  const api::ResourceKind& kind = *api::find_kind("argoproj.io/v1alpha1", "Workflow");
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs", {{"items", Json::array()}});
  transport.answer("GET", kind.path("lab"), {{"items", Json::array({workflow})}});
  kube::Client client(transport);
  for (const api::ResourceKind* other : described_resources())
    if (other != &kind) client.absent_kinds().add(*other, "lab", 404);
  for (const api::ResourceKind* other : job_kinds())
    if (other->kind != "Job")
      transport.answer("GET", other->path("lab"), {{"kind", "Status"}, {"reason", "NotFound"}}, 404);
  const Listing listing = list_for_table(client, "lab", "");
  REQUIRE(listing.jobs.size() == 1);
  CHECK(view_of_job(listing.jobs[0], listing.pods.of(listing.jobs[0])).gpus == 4);
}

}  // namespace gpus_test
