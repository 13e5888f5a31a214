#include "sweep/spec/document.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace document_test {

using namespace kml;

namespace {

/// The paths of the problems for which a document is rejected; "refused" if there are no problems.
std::vector<std::string> faults_of(const Json& document) {
  std::vector<std::string> paths;
  try {
    sweep::require_sections(document, "test");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    for (const Problem& problem : error.problems) paths.push_back(problem.path);
    if (paths.empty()) paths.emplace_back("refused");
  }
  return paths;
}

}  // namespace

TEST_CASE("sweep document: sections of another shape are rejected with their paths") {
  using Paths = std::vector<std::string>;
  const Json good = {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"spec", {{"objective", nullptr}}}};
  CHECK(faults_of(good).empty());
  CHECK(faults_of({{"apiVersion", "kubeflow.org/v1beta1"}, {"kind", "Experiment"}}).empty());
  for (const Json& other : {Json(), Json("foo"), Json::array({"a"})})
    CHECK(faults_of(other) == Paths{"refused"});
  CHECK(faults_of({{"kind", "Job"}}) == Paths{"kind"});
  Json elsewhere = good;
  elsewhere["spec"]["trialTemplate"]["configMap"] = "trials";
  CHECK(faults_of(elsewhere) == Paths{"spec.trialTemplate.configMap"});
  for (const char* path :
       {"/metadata", "/spec", "/spec/objective", "/spec/trialTemplate", "/spec/trialTemplate/trialSpec",
        "/spec/parameters", "/spec/constraints", "/spec/algorithm/algorithmSettings"}) {
    CAPTURE(path);
    Json document = good;
    document[Json::json_pointer(path)] = "foo";
    const Paths faults = faults_of(document);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].size() + 1 == std::string(path).size());
  }
}

}  // namespace document_test
