#include "kml/sweep/journal/record.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/journal.h"

namespace kml::sweep::record_test {

TEST_CASE("record: records of an early kml are read, and written back unchanged") {
  const std::filesystem::path folder = std::filesystem::path(KML_SOURCE_DIR) / "tests/recorded/kml/journals";
  size_t journals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CAPTURE(entry.path().string());
    ++journals;
    const std::string text = read_file(entry.path());
    std::string again;
    SweepState state;
    read_records(text, entry.path(), [&](const Record& record) {
      state.apply(record);
      again += to_json(record).dump() + "\n";
    });
    CHECK(again == text);
    CHECK(!state.trials().empty());
  }
  CHECK(journals > 0);
}

TEST_CASE("record: a record from a later kml is skipped, and a sweep of a later version is rejected") {
  const Record later = record_from_json({{"record", "moved"}, {"time", "2026-11-20T08:00:00Z"}});
  CHECK(std::holds_alternative<record::Unknown>(later.what));
  CHECK_THROWS_AS(record_from_json({{"record", "sweep"}, {"version", 2}, {"document", {}}}), Error);
}

TEST_CASE("record: a sweep has the state of its code, if that is known") {
  const Json document = {{"kind", "Sweep"}},
             code = {{"git", {{"commit", "1a"}}}, {"packages", {{"lock", "2b"}}}};
  for (const Json& known : {code, Json()}) {
    const Json json = to_json(Record{{}, record::Sweep{"id", document, {}, known}});
    CHECK(json.contains("code") == !known.is_null());
    CHECK(std::get<record::Sweep>(record_from_json(json).what).code == known);
  }
}

TEST_CASE("record: values that are not finite are kept in a separate member, which earlier versions ignore") {
  record::Ended ended{3, Outcome::diverged};
  ended.results = {{{1, 0.5}}, {{"acc", 0.75}}, {{"loss", {2, NAN}}, {"f1", {2, -HUGE_VAL}}}};
  const Json json = Json::parse(to_json(Record{{}, ended}).dump());
  CHECK(json["metrics"] == Json{{"acc", 0.75}});
  CHECK(json["curve"] == Json::parse("[[1, 0.5]]"));
  CHECK(json["diverged"] == Json::parse(R"({"f1": [2.0, "-Infinity"], "loss": [2.0, "NaN"]})"));
  const Diverged read = std::get<record::Ended>(record_from_json(json).what).results.diverged;
  CHECK(std::isnan(read.at("loss").second));
  CHECK(read.at("f1") == std::pair(2.0, -HUGE_VAL));
}

TEST_CASE("record: each outcome has its own word") {
  for (const Outcome outcome : {Outcome::complete, Outcome::pruned, Outcome::diverged, Outcome::failed,
                                Outcome::out_of_memory, Outcome::no_metric, Outcome::refused, Outcome::lost})
    CHECK(outcome_of(in_words(outcome)) == outcome);
  CHECK(!outcome_of("withdrawn"));
}

}  // namespace kml::sweep::record_test
