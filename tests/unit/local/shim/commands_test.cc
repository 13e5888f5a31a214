#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "local/shim/command_channel.h"
#include "local/shim/container_commands.h"
#include "local/shim_fixture.h"

namespace commands_test {

using namespace kml;
using namespace kml::local;

namespace {

/// Waits until the descriptor has data or has ended.
void wait_for(int fd) {
  pollfd source{fd, POLLIN, 0};
  REQUIRE(::poll(&source, 1, 60'000) == 1);
}

/// A command in a pod's container, whose output the test reads.
struct Command {
  Command(const PodFolder& folder, std::vector<std::string> argv, const std::string& container = "main",
          const char* input = "/dev/null")
      : connection(connect_for_commands(folder.commands())) {
    REQUIRE(connection);
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    output = Fd(ends[0]);
    const Fd writer(ends[1]), in(::open(input, O_RDONLY | O_CLOEXEC));
    const std::array<int, 3> theirs{in.get(), writer.get(), writer.get()};
    REQUIRE(
        send_message(connection.get(), to_json(CommandRequest{container, std::move(argv)}).dump(), theirs));
  }

  /// The answer; `ended` has no code if the connection has ended.
  CommandAnswer answer() {
    CommandAnswer got{CommandAnswer::ended, -1};
    wait_for(connection.get());
    if (const auto message = receive_message(connection.get()))
      std::memcpy(&got, message->text.data(), sizeof got);
    return got;
  }

  std::string read_output() {
    wait_for(output.get());
    char buffer[4096];
    const ssize_t got = ::read(output.get(), buffer, sizeof buffer);
    return {buffer, static_cast<size_t>(std::max<ssize_t>(got, 0))};
  }

  Fd connection, output;
};

struct Fixture : ShimFixture {
  void start_and_wait() {
    start();
    REQUIRE(eventually([&] {
      return status()["containerStatuses"][0]["state"].contains("running") &&
             ::access(folder.commands().c_str(), F_OK) == 0;
    }));
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "commands: run beside the program, with its environment and folder") {
  ContainerPlan& container = add_shell("exec sleep 1000");
  container.environment.push_back("GREETING=hi");
  container.folder = "/usr";
  start_and_wait();
  Command command(folder, {"sh", "-c", "echo $GREETING $PWD; exit 3"});
  CHECK(command.answer().kind == CommandAnswer::started);
  CHECK(command.read_output() == "hi /usr\n");
  const CommandAnswer end = command.answer();
  CHECK(end.kind == CommandAnswer::ended);
  CHECK(end.exit_code == 3);
  CHECK(phase() == "Running");
}

TEST_CASE_FIXTURE(Fixture, "commands: a command runs as the container's user, and inherits only its pipes") {
  if (::geteuid() != 0) return;  // only root may run programs as others
  add_shell("exec sleep 1000").privileges.user = 65534;
  start_and_wait();
  const std::string input = temporary.path() / "input";
  write_file_atomically(input, "text", 0644);
  Command command(folder, {"sh", "-c", "id -u; stat -Lc %u /proc/self/fd/1 /proc/self/fd/0"}, "main",
                  input.c_str());
  CHECK(command.answer().kind == CommandAnswer::started);
  CHECK(command.answer().exit_code == 0);
  CHECK(command.read_output() == "65534\n65534\n0\n");
}

TEST_CASE_FIXTURE(Fixture,
                  "commands: a command that cannot be started reports why, and the container continues") {
  add_shell("exec sleep 1000");
  start_and_wait();
  CommandAnswer answer{};
  SUBCASE("the program does not exist") {
    answer = Command(folder, {"no-such-program"}).answer();
    CHECK(answer.text == std::string("exec: \"no-such-program\": executable file not found in $PATH"));
  }
  SUBCASE("the container does not exist") {
    answer = Command(folder, {"true"}, "other").answer();
    CHECK(answer.text == std::string("container not found (\"other\")"));
  }
  CHECK(answer.kind == CommandAnswer::refused);
  CHECK(Command(folder, {"true"}).answer().kind == CommandAnswer::started);
}

TEST_CASE_FIXTURE(Fixture, "commands: the end of the connection kills the command and its whole session") {
  add_shell("exec sleep 1000");
  start_and_wait();
  Command command(folder,
                  {"sh", "-c", "echo ready; sleep 1000 & sh -c 'trap \"\" TERM HUP; sleep 1000; :' & wait"});
  REQUIRE(command.read_output() == "ready\n");
  command.connection = Fd();
  CHECK(command.read_output().empty());  // no process has the pipe any more
  CHECK(phase() == "Running");
}

TEST_CASE_FIXTURE(Fixture, "commands: are killed with their container") {
  add_shell("exec sleep 1000");
  start_and_wait();
  Command command(folder, {"sh", "-c", "echo ready; setsid sleep 1000"});
  REQUIRE(command.read_output() == "ready\n");
  CHECK(command.answer().kind == CommandAnswer::started);
  stop("0");
  CHECK(command.answer().exit_code == -1);
  CHECK(command.read_output().empty());
}

TEST_CASE_FIXTURE(Fixture, "commands: a pod's program cannot start a command through the shim") {
  if (::geteuid() != 0) return;  // only for root is it certain that the pod has its own namespace
  add({"python3", "-c",
       "import socket, sys, time\n"
       "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
       "s.connect(sys.argv[1])\n"
       "try: s.send(b'{}'); answer = s.recv(100)\n"
       "except OSError: answer = b''\n"
       "print('answer', answer)\n",
       folder.commands()});
  CHECK(run() == "Succeeded");
  CHECK(log() == "stdout F answer b''\n");
}

TEST_CASE("commands: a command that starts while another command's connection ends is not killed") {
  const auto pair = [] {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    return std::pair(Fd(ends[0]), Fd(ends[1]));
  };
  const mode_t mask = ::umask(0);
  ContainerPlan plan;
  plan.folder = std::filesystem::current_path();
  const KeeperSettings settings{plan, STDOUT_FILENO, STDERR_FILENO, {}, {}, false};
  auto [shim, keeper] = pair();
  ContainerCommands commands(settings, std::move(keeper));
  std::vector<pollfd> sources;
  const auto ask = [&](const char* seconds) {
    auto [server, connection] = pair();
    const Fd in(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::array<int, 4> theirs{connection.get(), in.get(), in.get(), in.get()};
    REQUIRE(
        send_message(shim.get(), to_json(CommandRequest{"main", {"/bin/sleep", seconds}}).dump(), theirs));
    return std::move(server);
  };
  const auto poll_all = [&] {
    sources.clear();
    commands.add_sources(sources);
    REQUIRE(::poll(sources.data(), sources.size(), 60'000) > 0);
  };
  Fd first = ask("0");
  poll_all();
  commands.look(sources);
  int status = 0;
  const pid_t ended = ::waitpid(-1, &status, 0);
  first = Fd();
  const Fd second = ask("0.1");
  poll_all();
  commands.reaped(ended, status);
  commands.look(sources);
  CHECK(::waitpid(-1, &status, 0) > 0);
  CHECK(WIFEXITED(status));
  ::umask(mask);
}

}  // namespace commands_test
