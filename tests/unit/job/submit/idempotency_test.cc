#include "job/submit/idempotency.h"

#include <doctest/doctest.h>

#include "kml/job/submit/marks.h"
#include "support/fake_transport.h"

namespace idempotency_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kJobs = "/apis/batch/v1/namespaces/lab/jobs";

/// A job that was submitted with key "k".
Json job(const std::string& name, int lr) {
  Json made = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"namespace", "lab"}}}};
  if (!name.empty()) made["metadata"]["name"] = name;
  made["spec"]["args"] = {"--lr", lr};
  Marks marks = new_marks("ana", "train", {});
  marks.key = "k";
  return marked({made}, marks)[0];
}

/// The jobs on the server, with the fields that the server has added.
void stub_list(FakeTransport& transport, std::vector<Json> there) {
  for (Json& job : there) job["spec"]["suspend"] = false;
  transport.answer("GET", kJobs, {{"kind", "JobList"}, {"metadata", Json::object()}, {"items", there}});
}

}  // namespace

TEST_CASE("idempotency: a key gives the same name again") {
  CHECK(job("", 1)["metadata"]["name"] == job("", 1)["metadata"]["name"]);
  CHECK_FALSE(
      marked({job("a", 1)}, new_marks("ana", "a", {}))[0]["metadata"]["labels"].contains(kIdempotencyKey));
  CHECK(suffix_of_key("k", 0) != suffix_of_key("k", 1));
  CHECK(suffix_of_key("k", 0).size() == 5);
}

TEST_CASE("idempotency: the earlier job is found, whatever its name") {
  FakeTransport transport;
  kube::Client client(transport);
  stub_list(transport, {job("bert", 1)});
  auto found = find_earlier(client, {job("gpt", 1)});
  REQUIRE(found[0]);
  CHECK((*found[0])["metadata"]["name"] == "bert");
}

TEST_CASE("idempotency: similar jobs differ by name, and the missing one is found") {
  FakeTransport transport;
  kube::Client client(transport);
  stub_list(transport, {job("c", 1), job("a", 1)});
  auto found = find_earlier(client, {job("a", 1), job("b", 1), job("c", 1)});
  CHECK(found[0]);
  CHECK_FALSE(found[1]);
  CHECK((*found[2])["metadata"]["name"] == "c");
}

TEST_CASE("idempotency: a job with the same key and other contents is an error that names the difference") {
  FakeTransport transport;
  kube::Client client(transport);
  stub_list(transport, {job("bert", 1)});
  try {
    find_earlier(client, {job("bert", 2)});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.why == "spec.args[1] is 2 now, but was 1");
  }
}

}  // namespace idempotency_test
