#include "kml/base/ready_files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace ready_files_test {

using namespace kml;

namespace {

struct Ends {
  Fd reader, writer;
};

Ends make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_sockets() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::string read_all(int fd, PatientWriter& writer) {
  std::string text;
  char buffer[8192];
  while (writer.pending() > 0 || is_readable(fd)) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
    writer.flush();
  }
  return text;
}

}  // namespace

TEST_CASE("patient writer: keeps the bytes that its reader has not read yet, and loses none") {
  Ends ends;
  SUBCASE("pipe") {
    ends = make_pipe();
  }
  SUBCASE("socket") {
    ends = make_sockets();
  }
  PatientWriter writer(ends.writer.get());
  std::string all;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece = std::to_string(i) + std::string(1000, 'x');
    all += piece;
    writer.write(piece);
  }
  CHECK(writer.pending() > 0);
  CHECK(read_all(ends.reader.get(), writer) == all);
  // The writer has not changed the file's mode, because other processes share the mode.
  CHECK((::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("patient writer: a reader that has closed its end is not an error") {
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  Ends ends = make_pipe();
  PatientWriter writer(ends.writer.get());
  ends.reader = Fd();
  writer.write("x");
  CHECK(writer.is_closed());
  CHECK(writer.pending() == 0);
  ::sigaction(SIGPIPE, &before, nullptr);
}

TEST_CASE("ready files: the common descriptor is readable while any of the files is ready") {
  Ends ends = make_pipe();
  ReadyFiles files;
  files.want(ends.reader.get(), true, false);
  CHECK_FALSE(is_readable(files.fd()));
  CHECK(::write(ends.writer.get(), "x", 1) == 1);
  CHECK(is_readable(files.fd()));
  files.forget(ends.reader.get());
  CHECK_FALSE(is_readable(files.fd()));
  files.want(ends.writer.get(), false, true);
  CHECK(is_readable(files.fd()));
}

}  // namespace ready_files_test
