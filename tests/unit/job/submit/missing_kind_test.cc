#include "kml/job/submit/missing_kind.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/status.h"

namespace missing_kind_test {

using namespace kml;

namespace {

const Json kJobSet = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}};

Error answer(int status, const std::string& body) {
  return api::error_from_response("cannot create jobset \"bert\"", status, body);
}

}  // namespace

TEST_CASE("missing kind: a path that is not served means that an operator is not installed") {
  const Error error = job::explained_refusal(answer(404, "404 page not found\n"), kJobSet);
  CHECK(error.message == "the cluster cannot run JobSets");
  CHECK(error.why ==
        "the JobSet controller is not installed: the server does not have the kind JobSet in "
        "jobset.x-k8s.io/v1alpha2");
  CHECK(error.reason == job::kNoSuchKind);
}

TEST_CASE("missing kind: the fix names the version in which kml knows the kind") {
  const Json old = {{"apiVersion", "scheduling.k8s.io/v1alpha2"}, {"kind", "PodGroup"}};
  CHECK(job::explained_refusal(answer(404, "404 page not found\n"), old).fix ==
        "write apiVersion: scheduling.k8s.io/v1beta1, if the cluster has it");
  CHECK(job::explained_refusal(answer(404, "404 page not found\n"), kJobSet).fix.empty());
}

TEST_CASE("missing kind: any other rejection is unchanged") {
  const std::string no_namespace =
      R"({"kind": "Status", "reason": "NotFound", "message": "namespaces \"x\" not found"})";
  CHECK(job::explained_refusal(answer(404, no_namespace), kJobSet).why == "namespaces \"x\" not found");
  CHECK(job::explained_refusal(answer(403, "no"), kJobSet).why == "no");
}

}  // namespace missing_kind_test
