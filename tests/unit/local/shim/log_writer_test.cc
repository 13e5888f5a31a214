#include "local/shim/log_writer.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

#include "support/temporary_folder.h"

namespace log_writer_test {

using namespace kml;
using namespace kml::local;

namespace {

class TickingClock : public Clock {
 public:
  Time now() const override { return Time(std::chrono::seconds(++ticks_)); }

 private:
  mutable int64_t ticks_ = 1'763'733'906;
};

const TickingClock ticking;

}  // namespace

TEST_CASE("log_writer: lines of both streams are written once their newline has arrived") {
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking);
  log.write(OutputStream::out, "one\ntw");
  log.write(OutputStream::err, "error\n");
  log.write(OutputStream::out, "o\nrest");
  log.finish();
  const std::string text = read_file(folder.path() / "0.log");
  std::string lines;
  for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    lines += text.substr(begin + 31, text.find('\n', begin) - begin - 30);
  CHECK(lines == "stdout F one\nstderr F error\nstdout F two\nstdout F rest\n");
  CHECK(parse_rfc3339(text.substr(0, 30)));
}

TEST_CASE("log_writer: a line above 16 KiB is split into parts") {
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking);
  std::string line((16 << 10) + 5, 'x');
  SUBCASE("at once") {
    log.write(OutputStream::out, line + "\n");
  }
  SUBCASE("byte by byte") {
    for (char c : line + "\n") log.write(OutputStream::out, {&c, 1});
  }
  const std::string text = read_file(folder.path() / "0.log");
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("stdout P x") == 31);
  CHECK(text.ends_with("stdout F xxxxx\n"));
}

TEST_CASE("log_writer: a line whose newline has not arrived is written in parts, and ended later") {
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking);
  const auto records = [&] {
    std::string text = read_file(folder.path() / "0.log"), all;
    for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
      all += text.substr(begin + 38, text.find('\n', begin) - begin - 37);
    return all;
  };
  log.write(OutputStream::err, "\r1%");
  CHECK(records().empty());
  CHECK(log.has_unfinished());
  log.write_unfinished();
  CHECK(records() == "P \r1%\n");
  CHECK(!log.has_unfinished());
  log.write(OutputStream::err, "\r2%\r3");
  log.write(OutputStream::err, "%");
  log.write_unfinished();
  CHECK(records() == "P \r1%\nP \r2%\r3%\n");
  SUBCASE("by its newline") {
    log.write(OutputStream::err, "\nnext\n");
    CHECK(records().ends_with("3%\nF \nF next\n"));
  }
  SUBCASE("by the end of the program") {
    log.finish();
    CHECK(records().ends_with("3%\nF \n"));
  }
}

TEST_CASE("log_writer: a line of exactly 16 KiB is whole") {
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking);
  log.write(OutputStream::out, std::string(16 << 10, 'x') + "\n");
  const std::string text = read_file(folder.path() / "0.log");
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.find(" F ") != std::string::npos);
}

TEST_CASE("log_writer: a large log is rotated, and only a limited number of files is kept") {
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking, {1000, 2});
  for (int i = 0; i < 100; ++i) log.write(OutputStream::out, std::string(80, 'x') + "\n");
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CHECK(entry.file_size() <= 1120);
    files += entry.path().filename() == "0.removed" ? 0 : 1;
  }
  CHECK(files == 3);
  // The note counts all removed lines. Together with the remaining lines, these are all lines that were
  // written.
  uint64_t lines = std::stoull(read_file(folder.path() / "0.removed"));
  CHECK(lines > 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().filename() != "0.removed") {
      const std::string text = read_file(entry.path());
      lines += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
    }
  CHECK(lines == 100);
}

TEST_CASE("log_writer: output lost to a full disk is counted, and no line is torn") {
  // Limits the size of files. As on a full disk, a write then fails in the middle.
  TemporaryFolder folder;
  LogWriter log(folder.path(), 0, ticking);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{50, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  log.write(OutputStream::out, std::string(40, 'x') + "\n");
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(std::filesystem::file_size(folder.path() / "0.log") == 0);
  log.write(OutputStream::out, "kept\n");
  const std::string text = read_file(folder.path() / "0.log");
  CHECK(text.find("bytes of output were lost") != std::string::npos);
  CHECK(text.ends_with("stdout F kept\n"));
}

}  // namespace log_writer_test
