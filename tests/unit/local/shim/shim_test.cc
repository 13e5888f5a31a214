#include <doctest/doctest.h>
#include <sys/stat.h>

#include <thread>

#include "kml/base/process.h"
#include "local/kubelet/cgroup_site.h"
#include "local/shim/log_writer.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim_fixture.h"

namespace shim_test {

using namespace kml;
using namespace kml::local;

TEST_CASE_FIXTURE(ShimFixture, "shim: a program's output, environment, folder and exit code are right") {
  ContainerPlan& container =
      add_shell("echo $GREETING from $PWD; echo bad >&2; printf end; sleep 0.1; exit 3");
  container.environment.push_back("GREETING=hello world");
  container.folder = "/usr";
  CHECK(run() == "Failed");
  CHECK(terminated()["exitCode"] == 3);
  CHECK(terminated()["reason"] == "Error");
  CHECK(log().find("stdout F hello world from /usr\n") != std::string::npos);
  CHECK(log().find("stderr F bad\n") != std::string::npos);
  CHECK(log().find("stdout F end\n") != std::string::npos);
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a container's usage includes that of its earlier runs") {
  plan.restart_policy = "OnFailure";
  plan.restart_delay_seconds = 0.01;
  // The first run uses memory and CPU and fails; the second succeeds and uses little.
  add_shell("test -e " + (temporary.path() / "again").string() + " && exit 0; touch " +
            (temporary.path() / "again").string() +
            "; head -c 40000000 /dev/zero | tail -c 30000000 >/dev/null; "
            "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 1");
  CHECK(run() == "Succeeded");
  const Json container = status()["containerStatuses"][0];
  CHECK(container["restartCount"] == 1);
  CHECK_FALSE(container.contains("keeper"));
  CHECK(container["used"]["cpuSeconds"].get<double>() > 0.02);
  CHECK(container["used"]["peakProcessBytes"].get<int64_t>() > 30'000'000);
}

TEST_CASE_FIXTURE(ShimFixture, "shim: argv is passed unchanged, without a shell") {
  add({"printf", "%s|", "a b", "$HOME", "`id`", ";", ""});
  CHECK(run() == "Succeeded");
  CHECK(log() == "stdout F a b|$HOME|`id`|;||\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a program that cannot be started reports why") {
  std::vector<std::string> argv;
  std::string problem;
  SUBCASE("not found") {
    argv = {"no-such-program"};
    problem = "exec: \"no-such-program\": executable file not found in $PATH";
  }
  SUBCASE("no such path") {
    argv = {"/no/such/program"};
    problem = "exec: \"/no/such/program\": No such file or directory";
  }
  SUBCASE("not executable") {
    argv = {"/etc/passwd"};
    problem = "exec: \"/etc/passwd\": Permission denied";
  }
  add(argv);
  CHECK(run() == "Failed");
  CHECK(terminated()["exitCode"] == 128);
  CHECK(terminated()["reason"] == "StartError");
  CHECK(terminated()["message"] == problem);
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a signal's number is added to 128") {
  add_shell("kill -9 $$");
  CHECK(run() == "Failed");
  CHECK(terminated()["exitCode"] == 137);
  CHECK(terminated()["signal"] == 9);
}

TEST_CASE_FIXTURE(
    ShimFixture,
    "shim: SIGTERM goes to the program only, and when the program ends, its other processes are killed") {
  // The child runs in its own session, would report a SIGTERM, and would outlive its parent by far.
  add_shell(
      "trap 'echo terminated; exit 7' TERM; setsid sh -c 'trap \"echo child got it\" TERM; echo ready; sleep "
      "1000' & "
      "wait; wait");
  start();
  REQUIRE(eventually([&] { return log() == "stdout F ready\n"; }));
  stop("100");
  REQUIRE(eventually([&] { return ended(); }));
  CHECK(terminated()["exitCode"] == 7);
  CHECK(log() == "stdout F ready\nstdout F terminated\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a program that ignores SIGTERM is killed after the grace period") {
  add_shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  start();
  REQUIRE(eventually([&] { return log() == "stdout F ready\n"; }));
  stop("0.05");
  REQUIRE(eventually([&] { return ended(); }));
  CHECK(terminated()["exitCode"] == 137);
}

TEST_CASE_FIXTURE(ShimFixture,
                  "shim: even daemons, which double-fork and call setsid, are killed with their container") {
  const std::string marker = temporary.path() / "marker";
  add_shell("(setsid sh -c 'exec 3>>" + marker +
            "; while :; do echo x >&3; sleep 0.005; done' >/dev/null 2>&1 &) ; "
            "while [ ! -s " +
            marker + " ]; do sleep 0.005; done");
  CHECK(run() == "Succeeded");
  const auto size = std::filesystem::file_size(marker);
  ::usleep(50'000);
  CHECK(std::filesystem::file_size(marker) == size);
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a killed shim takes its processes with it") {
  const std::string marker = temporary.path() / "marker";
  add_shell("exec 3>>" + marker + "; while :; do echo x >&3; sleep 0.005; done");
  start();
  REQUIRE(eventually([&] { return std::filesystem::exists(marker); }));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pid = 0;
  // The claim is only released after the last process has ended.
  REQUIRE(eventually([&] { return read_claim(folder).state == Claim::released; }));
  const auto size = std::filesystem::file_size(marker);
  ::usleep(50'000);
  CHECK(std::filesystem::file_size(marker) == size);
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a pod runs once, however many shims are started for it") {
  const std::string marker = temporary.path() / "marker";
  add_shell("echo run >> " + marker);
  CHECK(run() == "Succeeded");
  ::waitpid(pid, nullptr, 0);
  start();
  int status = -1;
  ::waitpid(pid, &status, 0);
  pid = 0;
  CHECK(status == 0);
  CHECK(read_file(marker) == "run\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: OnFailure runs a failed program again and counts the restarts") {
  plan.restart_policy = "OnFailure";
  plan.restart_delay_seconds = 0.001;
  const std::string marker = temporary.path() / "marker";
  add_shell("echo x >> " + marker + "; [ $(wc -l < " + marker + ") = 3 ]");
  CHECK(run() == "Succeeded");
  Json container = status()["containerStatuses"][0];
  CHECK(container["restartCount"] == 2);
  CHECK(container["lastState"]["terminated"]["exitCode"] == 1);
}

TEST_CASE_FIXTURE(ShimFixture,
                  "shim: init containers run in order before the others, and a failed one fails the pod") {
  const std::string marker = temporary.path() / "marker";
  auto init = [&](const std::string& script) {
    plan.init_containers.push_back({"init" + std::to_string(plan.init_containers.size()),
                                    {"sh", "-c", script},
                                    {"PATH=/usr/bin:/bin"},
                                    "/",
                                    {}});
  };
  add_shell("echo main >> " + marker);
  init("echo 1 >> " + marker);
  SUBCASE("all succeed") {
    init("echo 2 >> " + marker);
    CHECK(run() == "Succeeded");
    CHECK(read_file(marker) == "1\n2\nmain\n");
  }
  SUBCASE("one fails") {
    init("exit 1");
    CHECK(run() == "Failed");
    CHECK(read_file(marker) == "1\n");
  }
}

TEST_CASE_FIXTURE(ShimFixture, "shim: several containers run side by side, and one failure fails the pod") {
  const std::string pipe = temporary.path() / "pipe";
  ::mkfifo(pipe.c_str(), 0600);
  add_shell("echo hello > " + pipe, "writer");
  add_shell("cat " + pipe + "; exit 1", "reader");
  CHECK(run() == "Failed");
  CHECK(log("reader") == "stdout F hello\n");
  CHECK(terminated(0)["exitCode"] == 0);
  CHECK(terminated(1)["exitCode"] == 1);
}

/// On machines where containers cannot have namespaces, tests/cli/local_no_namespaces.sh tests how pods run
/// instead.
const bool no_namespaces =
    run_process({"unshare", "--user", "--map-root-user", "--mount", "true"}).exit_code != 0;

TEST_CASE_FIXTURE(ShimFixture,
                  "shim: volumes are visible only in the container" * doctest::skip(no_namespaces)) {
  const std::filesystem::path source = temporary.path() / "source", target = temporary.path() / "target";
  std::filesystem::create_directory(source);
  write_file_atomically(source / "file", "content");
  SUBCASE("at a folder on this machine") {
    std::filesystem::create_directory(target);
    add_shell("cat " + target.string() + "/file").mounts = {{"claim \"data\"", source, target}};
    CHECK(run() == "Succeeded");
    CHECK(std::filesystem::is_empty(target));
  }
  SUBCASE("at a path that does not exist on this machine") {
    add_shell("cat " + target.string() + "/deep/file && ls " + target.string()).mounts = {
        {"claim \"data\"", source, target / "deep"}};
    CHECK(run() == "Succeeded");
    CHECK_FALSE(std::filesystem::exists(target));
  }
  SUBCASE("beside files that are created and deleted") {
    const std::filesystem::path brief = temporary.path() / "brief";
    std::jthread others([&](const std::stop_token& stop) {
      while (!stop.stop_requested())
        for (int i = 0; i < 20; ++i) {
          write_file_atomically(brief, "");
          std::filesystem::remove(brief);
        }
    });
    add_shell("cat " + target.string() + "/deep/file").mounts = {{"claim \"data\"", source, target / "deep"}};
    CHECK(run() == "Succeeded");
  }
  SUBCASE("below the root folder") {
    add_shell("cat /kml-test-data/file && ls /proc/self/exe /usr >/dev/null").mounts = {
        {"claim \"data\"", source, "/kml-test-data"}};
    CHECK(run() == "Succeeded");
    CHECK_FALSE(std::filesystem::exists("/kml-test-data"));
  }
  CHECK(log().starts_with("stdout F content"));
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a read-only volume cannot be written, and a volume in memory can" *
                                   doctest::skip(no_namespaces)) {
  const std::filesystem::path source = temporary.path() / "source";
  std::filesystem::create_directory(source);
  add_shell(
      "touch /kml-a/x 2>/dev/null || echo refused; echo y > /kml-b/y && df --output=fstype /kml-b | tail -1")
      .mounts = {{"claim \"data\"", source, "/kml-a", true}, {"memory", "", "/kml-b", false, "1048576"}};
  CHECK(run() == "Succeeded");
  CHECK(log() == "stdout F refused\nstdout F tmpfs\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a volume that cannot be mounted fails the pod and names the path" *
                                   doctest::skip(no_namespaces)) {
  const std::filesystem::path work = temporary.path() / "work";
  std::filesystem::create_directory(work);
  ContainerPlan& container = add_shell("true");
  container.folder = work;
  container.mounts = {{"claim \"data\"", temporary.path(), work / "data"}};
  CHECK(run() == "Failed");
  CHECK(terminated()["message"].get<std::string>().starts_with(
      "cannot mount claim \"data\" at " + work.string() + "/data: the folder does not exist"));
}

TEST_CASE_FIXTURE(
    ShimFixture,
    "shim: the end of a failed container's log is its termination message, if the pod asks for that") {
  add_shell("seq 100; echo why >&2; exit 1").message_from_log = true;
  add_shell("echo fine", "good").message_from_log = true;
  add_shell("echo quiet; exit 1", "silent");
  CHECK(run() == "Failed");
  const std::string message = terminated()["message"];
  CHECK(message.starts_with("22\n23\n"));
  CHECK(message.ends_with("100\nwhy\n"));
  CHECK_FALSE(terminated(1).contains("message"));
  CHECK_FALSE(terminated(2).contains("message"));
}

TEST_CASE_FIXTURE(
    ShimFixture,
    "shim: the text that a program writes to its terminationMessagePath is its termination message") {
  const std::string own = temporary.path() / "last-words";
  add_shell("echo score=1 >/dev/termination-log").message_path = "/dev/termination-log";
  add_shell("echo score=2 >" + own, "own").message_path = own;
  add_shell("seq 2000 >/dev/termination-log", "long").message_path = "/dev/termination-log";
  add_shell("exit 0", "silent").message_path = "/dev/termination-log";
  ContainerPlan& failed =
      add_shell("echo in the log; echo in the file >/dev/termination-log; exit 1", "failed");
  failed.message_path = "/dev/termination-log";
  failed.message_from_log = true;
  ContainerPlan& silent = add_shell("echo in the log; exit 1", "silent-failure");
  silent.message_path = "/dev/termination-log";
  silent.message_from_log = true;
  CHECK(run() == "Failed");
  CHECK(terminated(0)["message"] == "score=1\n");
  CHECK(terminated(1)["message"] == "score=2\n");
  const std::string message = terminated(2)["message"];
  CHECK(message.size() == 4096);
  CHECK(message.ends_with("1999\n2000\n"));
  CHECK_FALSE(terminated(3).contains("message"));
  CHECK(terminated(4)["message"] == "in the file\n");
  CHECK(terminated(5)["message"] == "in the log\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: a program runs as the user that its securityContext names" *
                                   doctest::skip(::geteuid() != 0)) {
  Privileges& privileges = add_shell("id -u; id -g; id -G; echo to file >/dev/stdout").privileges;
  privileges.user = 12345;
  privileges.group = 23456;
  privileges.groups = {34567};
  CHECK(run() == "Succeeded");
  CHECK(log() == "stdout F 12345\nstdout F 23456\nstdout F 23456 34567\nstdout F to file\n");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: dropped capabilities are gone, and new privileges are forbidden" *
                                   doctest::skip(::geteuid() != 0)) {
  const std::string script = "grep -E '^(CapInh|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status";
  add_shell(script, "all").privileges = {.dropped = {"ALL"}};
  add_shell(script, "one").privileges = {.no_new = true, .dropped = {"CHOWN"}};
  add_shell("true", "none").privileges = {.dropped = {"NO_SUCH"}};
  CHECK(run() == "Failed");
  CHECK(log("all") ==
        "stdout F CapInh:\t0000000000000000\nstdout F CapPrm:\t0000000000000000\n"
        "stdout F CapBnd:\t0000000000000000\nstdout F NoNewPrivs:\t0\n");
  const std::string one = log("one");
  CHECK(one.find("NoNewPrivs:\t1") != std::string::npos);
  const size_t bounding = one.find("CapBnd:\t");
  REQUIRE(bounding != std::string::npos);
  CHECK(std::stoull(one.substr(bounding + 8, 16), nullptr, 16) % 2 == 0);  // CHOWN is bit 0
  CHECK(terminated(2)["reason"] == "StartError");
  CHECK(terminated(2)["message"] == "unknown capability to drop: NO_SUCH");
}

TEST_CASE_FIXTURE(ShimFixture, "shim: with a read-only root, volumes can still be written" *
                                   doctest::skip(no_namespaces)) {
  const std::string data = temporary.path() / "data", other = temporary.path() / "other";
  std::filesystem::create_directory(data);
  std::filesystem::create_directory(other);
  ContainerPlan& container =
      add_shell("touch /data/here && echo volume; touch " + other +
                "/no || echo root; echo last >/dev/termination-log && touch /dev/shm/" +
                temporary.path().filename().string() + " && echo shared");
  container.mounts = {{.what = "data", .source = data, .path = "/data"}};
  container.message_path = "/dev/termination-log";
  container.privileges.read_only_root = true;
  CHECK(run() == "Succeeded");
  const std::string lines = log();
  CHECK(lines.find("stdout F volume") != std::string::npos);
  CHECK(lines.find("stdout F root") != std::string::npos);
  CHECK(lines.find("stdout F shared") != std::string::npos);
  CHECK(terminated()["message"] == "last\n");
  CHECK_FALSE(std::filesystem::exists(other + "/no"));
  std::filesystem::remove("/dev/shm/" + temporary.path().filename().string());
}

TEST_CASE("output_tail: 80 lines or 2,048 bytes, whichever is less") {
  OutputTail lines, bytes;
  for (int i = 0; i < 100; ++i) lines.add("x\n");
  CHECK(lines.text().size() == 160);
  bytes.add("a" + std::string(3000, 'b'));
  bytes.add("c");
  CHECK(bytes.text() == std::string(2047, 'b') + "c");
  CHECK(OutputTail().text().empty());
}

}  // namespace shim_test
