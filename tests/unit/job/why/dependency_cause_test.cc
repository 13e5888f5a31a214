#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "job/why/objects.h"
#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace dependency_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

/// A job that waits for another job to succeed. `never` is the reason why that is no longer possible.
Json after(const std::string& name, const std::string& other, const std::string& never = "") {
  Json job = make_job(name);
  job["metadata"]["uid"] = "uid-" + name;
  job["spec"]["suspend"] = true;
  api::set_annotation(job, api::kAfter,
                      api::text_of({{api::Dependency::When::ok, "Job", other, "uid-" + other, never}}));
  return job;
}

}  // namespace

TEST_CASE("dependency: if a job can never start, no job that waits for it can start") {
  const Json lost = after("b", "a", "a failed"), waits = after("b", "a"), c = after("c", "b"),
             d = after("d", "c");
  struct Row {
    const char* what;
    Json job;
    std::vector<Json> others;
    bool is_never;
  };
  for (const Row& row : std::vector<Row>{{"directly", c, {lost}, true},
                                         {"two jobs away", d, {c, lost}, true},
                                         {"it still may", c, {waits}, false},
                                         {"the jobs in between are unknown", d, {lost}, false},
                                         {"a circle", waits, {after("a", "b")}, false}}) {
    CAPTURE(std::string(row.what));
    Known known(row.job);
    known.facts.other_jobs = row.others;
    const job::Cause cause = known.cause();
    CHECK(cause.code == CauseCode::dependency);
    CHECK((cause.outlook == job::Outlook::never) == row.is_never);
    if (!row.is_never) continue;
    CHECK(cause.brief == "cannot start: b cannot start");
    CHECK(contains(cause.summary, "b cannot start: it should start once a has succeeded, but a failed"));
    CHECK(cause.remedies.at(0).command == "kml resume b");
  }
}

TEST_CASE("dependency: a job that a user suspended is suspended, not waiting") {
  Json job = after("b", "a");
  CHECK(job::state_of(job, false) == job::State::waiting);
  api::set_annotation(job, api::kHeld, "2026-01-01T00:00:00Z");
  CHECK(job::state_of(job, false) == job::State::suspended);
  const job::Cause cause = Known(job).cause();
  CHECK(cause.code == CauseCode::suspended);
  CHECK(cause.summary == "is suspended; once resumed, it waits for a to succeed");
  CHECK(cause.remedies.at(0).command == "kml resume b");
}

}  // namespace dependency_cause_test
