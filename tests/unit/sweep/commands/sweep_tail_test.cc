#include "sweep/commands/sweep_tail.h"

#include <filesystem>
#include <optional>
#include <string>

#include "support/environment.h"
#include "support/temporary_folder.h"
#include "sweep/tested_sweep.h"

namespace kml::cli::sweep_tail_test {

namespace {

using namespace kml::sweep;

/// Sweep "s" of this machine, with an engine that has started no trial yet.
struct SweepHere {
  explicit SweepHere(const Json& document) {
    std::filesystem::create_directories(sweep_folder("s"));
    journal.emplace(sweep_folder("s"), "test");
    add(record::Sweep{"id", document, {}});
  }

  template <typename What>
  void add(const What& what) {
    journal->add({system_clock().now(), what});
    journal->commit();
  }
  void start_trial(std::uint64_t number, const std::string& job) {
    add(record::Asked{number, {{"x", 0.5}}});
    add(record::Begun{number, job});
  }

  TemporaryFolder folder;
  EnvironmentVariable variable{"KML_STATE_DIR", folder.path().c_str()};
  std::optional<Journal> journal;
};

Json job_named(const std::string& name) {
  return {{"metadata", {{"name", name}}}};
}

}  // namespace

TEST_CASE("sweep logs: a job belongs to the sweep once the journal has its trial") {
  struct Row {
    Json document;
    std::string trial, object;
  };
  for (const Row& row :
       {Row{document_of(), "s-t0-abc", "s-t0-abc"}, {document_of(kIndexed), "s-abc-0", "s-abc"}}) {
    CAPTURE(row.object);
    SweepHere sweep(row.document);
    TrialsSoFar trials("s");
    CHECK_FALSE(trials.have(job_named(row.object)));
    sweep.start_trial(0, row.trial);
    CHECK(trials.have(job_named(row.object)));
    CHECK_FALSE(trials.have(job_named("other")));
  }
}

TEST_CASE("sweep logs: no more trials start once the sweep has ended, or has no engine") {
  SweepHere sweep(document_of());
  TrialsSoFar trials("s");
  CHECK_FALSE(trials.are_complete());
  SUBCASE("ended") {
    sweep.add(record::End{record::End::Kind::stopped, "stopped"});
  }
  SUBCASE("no engine") {
    sweep.journal.reset();
  }
  CHECK(trials.are_complete());
}

TEST_CASE("sweep logs: only the records that were added are read") {
  SweepHere sweep(document_of());
  SweepTail tail("s");
  SweepState state;
  tail.read_into(state);
  sweep.start_trial(0, "s-t0");
  SweepState another;  // the first record is missing, so an added one alone is an error
  CHECK_THROWS_AS(tail.read_into(another), Error);
}

TEST_CASE("sweep logs: a sweep that was deleted is reported") {
  SweepHere sweep(document_of());
  TrialsSoFar trials("s");
  std::filesystem::remove_all(sweep_folder("s"));
  CHECK_THROWS_WITH_AS(trials.are_complete(), "sweep s was deleted meanwhile", Error);
}

}  // namespace kml::cli::sweep_tail_test
