#include "job/spool/log_spool.h"

#include <doctest/doctest.h>

#include <fstream>

#include "job/logs/recording_sink.h"
#include "kml/base/files.h"
#include "kml/kube/logs/log_stream.h"
#include "support/temporary_folder.h"

namespace log_spool_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kUid = "12345678-aaaa-bbbb-cccc-000000000000";

LogSource source_of(const std::string& pod) {
  return {.namespace_name = "team",
          .job = "bert",
          .job_uid = kUid,
          .pod = pod,
          .pod_uid = kUid,
          .container = "main",
          .label = pod};
}

LogLine line(const LogSource& source, int second, std::string_view stamp, std::string_view text) {
  return {&source, Time(std::chrono::seconds(second)), stamp, text};
}

struct Fixture {
  TemporaryFolder folder;
  const LogSource a = source_of("a"), b = source_of("b");
  const std::filesystem::path file = folder.path() / "team/bert.12345678/a.12345678/main.0.log";
  RecordingSink sink;

  void write(const std::vector<LogLine>& lines, bool ended = false) {
    LogSpool spool(folder.path(), sink);
    spool.kept(a, [](Time, std::string_view) {});
    spool.lines(lines);
    if (ended) spool.event({LogEvent::Kind::run_ended, "", &a});
  }
  /// The data that a resumed reader gets: how much of the log the spool has, and the texts of the lines.
  std::pair<LogSink::Kept, std::string> kept() {
    LogSpool spool(folder.path(), sink);
    std::string texts;
    const auto kept =
        spool.kept(a, [&texts](Time, std::string_view text) { texts += std::string(text) + "|"; });
    return {kept, texts};
  }
  std::string read(const LogSelection& selection = {}) {
    RecordingSink printed;
    CHECK(read_spool(folder.path(), "team", "bert", selection, printed));
    return printed.said;
  }
};

const std::string_view kOne = "1970-01-01T00:00:01Z", kTwo = "1970-01-01T00:00:02Z",
                       kThree = "1970-01-01T00:00:03Z", kNine = "1970-01-01T00:00:09.5Z";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "log_spool: stores lines in readable form, and passes them on") {
  write({line(a, 1, kOne, "one"), line(a, 2, "", std::string_view("\x01 stray"))});
  CHECK(read_file(file) == "1970-01-01T00:00:01Z one\n- \x01 stray\n");
  CHECK(sink.said == "a.0 one\na.0 \x01 stray\n");
}

TEST_CASE_FIXTURE(Fixture, "log_spool: continues after a kill, without the incomplete line") {
  write({line(a, 1, kOne, "one"), line(a, 2, kTwo, "two"), line(a, 9, kNine, "nine")});
  std::ofstream(file, std::ios::app) << kNine << " torn";
  CHECK(kept() == std::pair(LogSink::Kept::a_part, std::string("nine|")));
  write({line(a, 9, kNine, "torn and whole")});
  CHECK(read_file(file).ends_with(" nine\n1970-01-01T00:00:09.5Z torn and whole\n"));
}

TEST_CASE_FIXTURE(Fixture, "log_spool: no name from a server leads out of the folder") {
  LogSource hostile = source_of("x");
  const auto spool_folder = folder.path() / "a/b/c/d/spool";
  for (std::string LogSource::*const name : {&LogSource::namespace_name, &LogSource::job, &LogSource::job_uid,
                                             &LogSource::pod, &LogSource::pod_uid, &LogSource::container}) {
    LogSource source = hostile;
    for (const std::string& value : {std::string("../../../../x"), std::string(".."),
                                     (folder.path() / "absolute").string(), std::string(300, 'n')}) {
      source.*name = value;
      LogSpool spool(spool_folder, sink);
      spool.kept(source, [](Time, std::string_view) {});
      const LogLine said[] = {line(source, 1, kOne, "one")};
      spool.lines(said);
    }
  }
  size_t inside = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    const std::string path = entry.path().string();
    const bool is_inside = path.starts_with(spool_folder.string());
    inside += is_inside && entry.path().extension() == ".log";
    CHECK_MESSAGE((is_inside || spool_folder.string().starts_with(path)), path);
  }
  CHECK(inside == 24);
}

TEST_CASE_FIXTURE(Fixture, "log_spool: knows which logs are complete") {
  CHECK(kept().first == LogSink::Kept::nothing);
  write({line(a, 1, kOne, "one")}, true);
  CHECK(kept().first == LogSink::Kept::all);
}

TEST_CASE_FIXTURE(Fixture,
                  "log_spool: a long line is stored whole, and returned in the pieces in which it arrived") {
  const std::string stamped = std::string(kOne) + " " + std::string(2 * kube::kLongestPiece, 'x');
  const std::string first = stamped.substr(kOne.size() + 1, kube::kLongestPiece - kOne.size() - 1);
  const std::string second = stamped.substr(kube::kLongestPiece, kube::kLongestPiece),
                    third(kOne.size() + 1, 'x');
  LogLine begins = line(a, 1, kOne, first), goes_on = line(a, 1, "", second), ends = line(a, 1, "", third);
  begins.ends = goes_on.begins = goes_on.ends = ends.begins = false;
  write({begins, goes_on, ends});
  CHECK(read_file(file) == stamped + "\n");
  CHECK(kept().second == first + "|" + second + "|" + third + "|");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_spool: a last line of many MiB is returned whole, so that it is not repeated") {
  const std::string longest(5 << 20, 'x');
  write({line(a, 1, kOne, "one"), line(a, 2, kTwo, longest)});
  std::string texts = kept().second;
  std::erase(texts, '|');
  CHECK((texts == longest));  // the parentheses keep a failure from printing the text
}

TEST_CASE_FIXTURE(Fixture,
                  "log_spool: the log of a deleted job is read from the spool, merged by time and selected") {
  write({line(a, 1, kOne, "one"), line(a, 3, kThree, "three"), line(b, 2, kTwo, "two"),
         line(b, 9, kNine, "nine")});
  CHECK(read() == "a.0 one\nb.0 two\na.0 three\nb.0 nine\n");
  CHECK(read({.pod_pattern = "^b"}) == "b.0 two\nb.0 nine\n");
  CHECK(read({.tail = 1}) == "a.0 three\nb.0 nine\n");
  CHECK(read({.since_time = Time(std::chrono::seconds(3))}) == "a.0 three\nb.0 nine\n");
  RecordingSink nothing;
  CHECK(!read_spool(folder.path(), "team", "ber", {}, nothing));
}

}  // namespace log_spool_test
