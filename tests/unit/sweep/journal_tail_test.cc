#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "kml/sweep/journal/journal.h"
#include "support/temporary_folder.h"

namespace kml::sweep::journal_tail_test {

namespace {

struct TailFixture {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "journal.jsonl";

  void write(const std::string& text) { std::ofstream(file, std::ios::app) << text; }
  static std::string record(int trial) {
    return R"({"record":"running","time":"2026-11-24T08:00:00Z","trial":)" + std::to_string(trial) + "}\n";
  }
};

std::vector<std::uint64_t> trials_in(JournalTail& tail) {
  std::vector<std::uint64_t> trials;
  CHECK(tail.read([&](const Record& each) { trials.push_back(std::get<record::Running>(each.what).trial); }));
  return trials;
}

using Trials = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE_FIXTURE(TailFixture,
                  "journal_tail: each record is read once, and an incomplete line once it is complete") {
  write(record(0) + record(1).substr(0, 9));
  JournalTail tail(folder.path());
  CHECK(trials_in(tail) == Trials{0});
  CHECK(trials_in(tail).empty());
  write(record(1).substr(9) + record(2));
  CHECK(trials_in(tail) == Trials{1, 2});
}

TEST_CASE_FIXTURE(TailFixture, "journal_tail: continues after an incomplete line was cut off the journal") {
  write(record(0) + "{\"torn");
  JournalTail tail(folder.path());
  CHECK(trials_in(tail) == Trials{0});
  std::filesystem::resize_file(file, record(0).size());
  CHECK(trials_in(tail).empty());
  write(record(1));
  CHECK(trials_in(tail) == Trials{1});
}

TEST_CASE_FIXTURE(TailFixture,
                  "journal_tail: a removed journal is reported, and so is a new one in its place") {
  write(record(0));
  JournalTail tail(folder.path());
  std::filesystem::rename(file, folder.path() / "old");
  CHECK_FALSE(tail.read([](const Record&) {}));
  write(record(5));
  CHECK_FALSE(tail.read([](const Record&) {}));
}

}  // namespace kml::sweep::journal_tail_test
