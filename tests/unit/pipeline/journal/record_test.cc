#include "kml/pipeline/journal/record.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "kml/base/files.h"
#include "kml/engine/journal/journal.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/journal/journal.h"

namespace kml::pipeline::record_test {

namespace {

/// Reads the lines and writes them again.
std::string rewritten(const std::string& text, RunState& state, std::set<std::string>& kinds) {
  std::string again;
  const TakeRecord take = [&](const Record& record) {
    state.apply(record);
    kinds.emplace(name_of(record));
    again += to_json(record).dump() + "\n";
  };
  engine::read_lines(text, "the journal", engine::as_records(take));
  return again;
}

/// Lines of each kind, as kml 0.1 writes them.
const char* const kLines =
    R"({"file":"/p.yaml","git":null,"id":"69e20b4b690b16a1","isJob":true,"keepsGoing":true,"name":"r","params":{"lr":0.1},"pipeline":"p","records":true,"renewal":{"all":true,"steps":["a","b"]},"schedule":"nightly","scheduled":"2026-11-20T08:00:00Z","settings":[{"name":"image","value":"i"}],"store":"pvc/s","target":{"context":"c","namespace":"n"},"text":"t","time":"2026-11-20T08:00:00.000001Z","until":["b"],"user":"ana","what":"run"}
{"owner":"process 1","time":"2026-11-20T08:00:00.000002Z","what":"session"}
{"cause":"","from":"q","key":"k1","outputs":{"x":{"value":1}},"step":"a","time":"2026-11-20T08:00:00.000003Z","what":"hit"}
{"items":["one"],"step":"f","time":"2026-11-20T08:00:00.000004Z","what":"items"}
{"attempt":0,"cause":"it has not run yet","inputs":{"x":{"value":1}},"job":"r-b","key":"k2","parts":{"code":"d"},"step":"b","time":"2026-11-20T08:00:00.000005Z","what":"begun"}
{"cause":"waits in queue gpus","step":"b","time":"2026-11-20T08:00:00.000006Z","what":"wait"}
{"step":"b","time":"2026-11-20T08:00:00.000007Z","what":"running"}
{"cause":"x was gone when b needed it","step":"a","time":"2026-11-20T08:00:00.000008Z","what":"lost"}
{"cause":"exit code 1","isLost":false,"step":"b","time":"2026-11-20T08:00:00.000009Z","until":"2026-11-20T08:00:10.000009Z","what":"again"}
{"cause":"","imageId":"i@sha256:12ab","isDone":true,"outputs":{"y":{"value":"NaN"}},"step":"b","time":"2026-11-20T08:00:00.000010Z","what":"ended"}
{"cause":"exit code 2","isDone":false,"step":"c","time":"2026-11-20T08:00:00.000011Z","what":"ended"}
{"cause":"the run was stopped","isDone":false,"isStopped":true,"step":"d","time":"2026-11-20T08:00:00.000012Z","what":"ended"}
{"cause":"","isDone":true,"jobEnded":"2026-11-20T07:59:00Z","step":"g","time":"2026-11-20T08:00:00.000012Z","what":"ended"}
{"cause":"c failed, or could not run","step":"e","time":"2026-11-20T08:00:00.000013Z","what":"skipped"}
{"outcome":"stopped","time":"2026-11-20T08:00:00.000014Z","what":"end"}
{"time":"2026-11-20T08:00:00.000015Z","what":"resumed"}
{"request":"1","time":"2026-11-20T08:00:00.000016Z","what":"resumed"}
)";

}  // namespace

TEST_CASE("run record: records of an early kml are read, and written back unchanged") {
  const std::filesystem::path folder = std::filesystem::path(KML_SOURCE_DIR) / "tests/recorded/kml/runs/runs";
  size_t journals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CAPTURE(entry.path().string());
    ++journals;
    const std::string text = read_file(entry.path() / "journal.jsonl");
    RunState state;
    std::set<std::string> kinds;
    CHECK(rewritten(text, state, kinds) == text);
    CHECK(state.end() == Outcome::succeeded);
  }
  CHECK(journals > 0);
}

TEST_CASE("run record: each kind is read, and written back unchanged") {
  RunState state;
  std::set<std::string> kinds;
  CHECK(rewritten(kLines, state, kinds) == kLines);
  CHECK(kinds.size() + 1 == std::variant_size_v<decltype(Record::what)>);  // all but Unknown
  CHECK(state.head().renewal.steps.size() == 2);
  CHECK(state.step("b").image_id == "i@sha256:12ab");
  CHECK(state.step("b").failures == 1);
  CHECK(state.step("d").phase == Phase::waiting);  // the step was cancelled, and is retried
}

TEST_CASE(
    "run record: the first record of an artifact from `kml artifact put` has no jobs, and so no target") {
  const std::string text =
      R"({"file":"/w.txt","id":"1","name":"w","params":{},"pipeline":"w","text":"t","time":"2026-11-20T08:00:00.000001Z","what":"run"})"
      "\n";
  RunState state;
  std::set<std::string> kinds;
  CHECK(rewritten(text, state, kinds) == text);
}

TEST_CASE("run record: a record from a later kml is skipped, and a damaged one is rejected") {
  const auto read = [](const char* line) { return Json::parse(line).get<Record>(); };
  RunState state;
  state.apply(read(R"({"what":"run","time":"2026-11-20T08:00:00Z","name":"r"})"));
  state.apply(read(R"({"what":"moved","time":"2026-11-20T08:00:00Z","step":"a","cause":"?"})"));
  CHECK(state.steps().empty());
  for (const char* line : {R"({"what":"end","outcome":"succeeded"})",
                           R"({"what":"end","outcome":"won","time":"2026-11-20T08:00:00Z"})",
                           R"({"what":"begun","job":"r-a","time":"2026-11-20T08:00:00Z"})",
                           R"({"what":"run","renewal":{"steps":[1]},"time":"2026-11-20T08:00:00Z"})"}) {
    CAPTURE(line);
    CHECK_THROWS_AS(read(line), Error);
  }
  CHECK_THROWS_AS(state.apply(read(R"({"what":"run","time":"2026-11-20T08:00:00Z","name":"r"})")), Error);
  CHECK_THROWS_AS(RunState().apply(read(R"({"what":"moved","time":"2026-11-20T08:00:00Z"})")), Error);
}

}  // namespace kml::pipeline::record_test
