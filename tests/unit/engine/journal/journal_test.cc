#include "kml/engine/journal/journal.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include "kml/base/error.h"
#include "support/temporary_folder.h"

namespace kml::engine::journal_test {

namespace {

using Lines = std::vector<Json>;

const JournalWords kWords = {.what = "run lr1",
                             .while_running = "`kml pipeline attach lr1` shows it",
                             .go_on = "`kml pipeline resume` then continues the run"};

Json step(int number) {
  return {{"record", "step"}, {"step", number}};
}

struct Fixture {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "journal.jsonl";

  Journal open(const std::string& owner = "test") const { return {folder.path(), owner, kWords}; }
  void write(const std::string& text) const { std::ofstream(file, std::ios::app) << text; }
  void commit(const Lines& lines) const {
    Journal journal = open();
    for (const Json& line : lines) journal.add(line);
    journal.commit();
  }
  Lines read() const {
    Lines lines;
    const bool is_there = read_journal(folder.path(), [&](const Json& line) { lines.push_back(line); });
    CHECK(is_there);
    return lines;
  }
};

Lines new_in(JournalTail& tail) {
  Lines lines;
  const bool is_the_same = tail.read([&](const Json& line) { lines.push_back(line); });
  CHECK(is_the_same);
  return lines;
}

template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return usage_error("");
}

/// Limits the size of files. As on a full disk, write() then writes less than requested, and fails the next
/// time.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }
  SmallDisk(const SmallDisk&) = delete;

 private:
  sighandler_t signal_;
  rlimit before_{};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "journal: committed lines are read back in order, and the journal continues after them") {
  commit({step(1), step(2)});
  CHECK(read() == Lines{step(1), step(2)});
  commit({step(3)});
  CHECK(read() == Lines{step(1), step(2), step(3)});
}

TEST_CASE_FIXTURE(Fixture, "journal: readers see an added line once it is flushed") {
  Journal journal = open();
  journal.add(step(1));
  CHECK(read().empty());
  journal.flush();
  CHECK(read() == Lines{step(1)});
}

TEST_CASE_FIXTURE(Fixture, "journal: readers find nothing in a folder without a journal") {
  CHECK_FALSE(read_journal(folder.path(), [](const Json&) {}));
  CHECK_THROWS_AS(JournalTail(folder.path()), Error);
  CHECK_FALSE(last_sign_of_life(folder.path()));
}

TEST_CASE_FIXTURE(Fixture, "journal: readers skip an incomplete last line, and the next writer removes it") {
  commit({step(1)});
  write(R"({"record":"st)");
  CHECK(read() == Lines{step(1)});
  commit({step(2)});
  CHECK(read() == Lines{step(1), step(2)});
}

TEST_CASE_FIXTURE(Fixture, "journal: a second writer is rejected with a message that names the first one") {
  const Journal first = open("process 7 of ann");
  const Error error = error_of([&] { open("process 8"); });
  CHECK(error.message == "run lr1 is already running");
  CHECK(error.why == "by process 7 of ann");
  CHECK(error.fix == "`kml pipeline attach lr1` shows it");
  CHECK(writer_of(folder.path()) == "process 7 of ann");
}

TEST_CASE_FIXTURE(
    Fixture,
    "journal: on a full disk, none of the added lines is written, and the fix says how to continue") {
  commit({step(1)});
  Journal journal = open();
  journal.add(step(2));
  journal.add(step(3));
  const Error error = error_of([&] {
    const SmallDisk disk(std::filesystem::file_size(file) * 2 + 1);
    journal.commit();
  });
  CHECK(error.fix == "free some space; `kml pipeline resume` then continues the run");
  CHECK(read() == Lines{step(1)});
}

TEST_CASE_FIXTURE(Fixture,
                  "journal: its writer knows when the previous owner was last alive; merely opening the "
                  "journal is not a sign of life") {
  struct : Clock {
    Time now() const override { return *parse_rfc3339("2026-11-24T08:00:00.5Z"); }
  } clock;
  CHECK_FALSE(open().last_sign_of_life());
  open().show_life(clock);
  CHECK(open().last_sign_of_life() == clock.now());
  CHECK(open().last_sign_of_life() == clock.now());
  CHECK(last_sign_of_life(folder.path()) == clock.now());
}

TEST_CASE_FIXTURE(Fixture,
                  "journal: a tail reads each line once, and notices that the journal was replaced") {
  commit({step(1)});
  JournalTail tail(folder.path());
  CHECK(new_in(tail) == Lines{step(1)});
  CHECK(new_in(tail).empty());
  commit({step(2)});
  CHECK(new_in(tail) == Lines{step(2)});
  std::filesystem::rename(file, folder.path() / "old");
  commit({step(3)});
  CHECK_FALSE(tail.read([](const Json&) { FAIL("a line of another journal"); }));
}

TEST_CASE_FIXTURE(Fixture, "journal: a broken line in the middle is an error that names the line") {
  commit({step(1)});
  JournalTail tail(folder.path());
  CHECK(new_in(tail) == Lines{step(1)});
  write("no record\n");
  commit({step(3)});
  const std::string broken = "line 2 of " + file.string() + " is damaged";
  CHECK(error_of([&] { read(); }).message == broken);
  CHECK(error_of([&] { new_in(tail); }).message == broken);
  CHECK(error_of([&] { open().read([](const Json&) {}); }).message == broken);
}

TEST_CASE("journal: a line that is JSON but not an object is damage") {
  const Error error = error_of([] { read_lines("{}\n[1]\n", "the journal", [](const Json&) {}); });
  CHECK(error.message == "line 2 of the journal is damaged");
  CHECK(error.why == "it is not a JSON object");
}

}  // namespace kml::engine::journal_test
