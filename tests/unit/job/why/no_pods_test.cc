#include <doctest/doctest.h>

#include "job/why/objects.h"

namespace no_pods_test {

using namespace kml;
using namespace kml::test;

TEST_CASE(
    "why: if a job has no pods for an unknown reason, the controller that should create them is named") {
  struct Row {
    const char *managed_by, *controller;
  };
  for (const Row& row : {Row{"", "Kubernetes' Job controller"},
                         Row{"example.com/queue", "the controller example.com/queue (spec.managedBy)"}}) {
    Json bert = make_job("bert");
    if (*row.managed_by) bert["spec"]["managedBy"] = row.managed_by;
    Known unseen(bert);
    CHECK(unseen.cause().code == CauseCode::controller_missing);
    CHECK(unseen.cause().summary.starts_with(row.controller + std::string(" has not picked it up in ")));
    bert["status"]["startTime"] = "2026-01-01T00:00:00Z";
    Known seen(bert);
    CHECK(seen.cause().code == CauseCode::no_pods);
    CHECK(seen.cause().summary.ends_with(row.controller + std::string(" should create them")));
  }
}

}  // namespace no_pods_test
