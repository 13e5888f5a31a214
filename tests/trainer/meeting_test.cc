// Tests problems of real clusters when ranks try to find each other, one in each test.

#include "comm/meeting.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "comm/collectives.h"
#include "comm/message.h"
#include "comm/peer_lost.h"
#include "comm/tcp_communicator.h"
#include "trainer/meeting_fixture.h"

using namespace trainer;
using namespace std::chrono_literals;

TEST_CASE_FIXTURE(
    MeetingFixture,
    "meeting: ranks find each other over IPv4 and IPv6, and each rank is connected to all others") {
  SUBCASE("IPv4") {}
  SUBCASE("IPv6 only") {
    host = "::1";
  }
  SUBCASE("a name") {
    host = "localhost";
  }
  INFO(said);
  std::vector<std::future<Team>> coming;
  for (uint32_t rank = 0; rank < 5; ++rank) coming.push_back(begin(plan(rank, 5)));
  std::vector<Team> teams;
  for (auto& team : coming) teams.push_back(team.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture, "meeting: ranks that start before rank 0 wait for its port") {
  auto early = begin(plan(1, 2));
  wait_until_said("ECONNREFUSED");
  std::vector<Team> teams;
  teams.push_back(meet(plan(0, 2)));
  teams.push_back(early.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: the master's name is looked up again if it is still unknown or has moved") {
  std::atomic<int> looks{0};
  MeetingPlan late = plan(1, 2);
  late.launch.master_address = "job-master-0";
  late.resolve = [&](const std::string& name, uint16_t, std::string& why) -> std::vector<Address> {
    if (looks++ == 0) {
      why = "the name " + name + " cannot be resolved";
      return {};
    }
    std::string ignored;
    // the first call returns the old address, where no rank is
    return resolve("127.0.0.1", looks == 2 ? free_port() : port, ignored);
  };
  MeetingPlan first = plan(0, 2);
  first.launch.job = late.launch.job = "job";
  auto coming = begin(late);
  std::vector<Team> teams;
  teams.push_back(meet(first));
  teams.push_back(coming.get());
  check_joined(std::move(teams));
  CHECK(has_said("job-master-0 cannot be resolved"));
  CHECK(has_said("ECONNREFUSED"));
}

TEST_CASE_FIXTURE(MeetingFixture, "meeting: addresses of a name that do not answer are skipped") {
  MeetingPlan first = plan(0, 2), second = plan(1, 2);
  first.launch.job = second.launch.job = "job";
  second.resolve = [&](const std::string&, uint16_t, std::string& why) {
    // Nothing listens at the first address; the second one is for documentation and is not routed (RFC 3849).
    std::vector<Address> addresses = resolve("::1", free_port(), why);
    for (const char* host : {"2001:db8::1", "127.0.0.1"}) addresses.push_back(resolve(host, port, why).at(0));
    return addresses;
  };
  auto coming = begin(second);
  std::vector<Team> teams;
  teams.push_back(meet(first));
  teams.push_back(coming.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture, "meeting: ranks whose timeouts differ meet when they try again") {
  MeetingPlan impatient = plan(0, 3);
  impatient.timeout = 300ms;
  auto second = begin(plan(1, 3));
  CHECK_THROWS_AS(meet(impatient),
                  MeetingFailed);  // the pod of this rank is restarted, and the other rank still waits
  std::vector<std::future<Team>> coming;
  coming.push_back(begin(plan(0, 3)));
  coming.push_back(std::move(second));
  coming.push_back(begin(plan(2, 3)));
  std::vector<Team> teams;
  for (auto& team : coming) teams.push_back(team.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: after the timeout, the error names the missing ranks, or the missing master") {
  MeetingPlan first = plan(0, 3), second = plan(1, 3);
  first.timeout = 1500ms;
  auto coming = begin(second);
  CHECK(why_failed<MeetingFailed>(begin(first)) == "of the 3 ranks, these did not connect: 2");
  signal = SIGTERM;
  CHECK_THROWS_AS(coming.get(), StoppedEarly);
  signal = 0;
  second.timeout = 300ms;
  CHECK(why_failed<MeetingFailed>(begin(second)).find(std::to_string(port)) != std::string::npos);
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: a rank of an earlier attempt is rejected, and the right one takes its place") {
  MeetingPlan first = plan(0, 2), stale = plan(1, 2), right = plan(1, 2);
  first.launch.attempt = right.launch.attempt = 2;
  stale.launch.attempt = 1;
  auto waiting = begin(first);
  CHECK(why_failed<Error>(begin(stale)).find("attempt 1, which has ended: this is attempt 2") !=
        std::string::npos);
  std::vector<Team> teams;
  teams.push_back(meet(right));
  teams.push_back(waiting.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: if many strangers connect and send nothing, the first one is dropped, and a rank "
                  "can still join") {
  auto waiting = begin(plan(0, 2));
  std::vector<Fd> strangers;
  for (int i = 0; i < 100; ++i) strangers.push_back(call("127.0.0.1", port));
  pollfd first{strangers[0].get(), POLLIN, 0};
  CHECK(poll(&first, 1, 20'000) == 1);
  std::vector<Team> teams;
  teams.push_back(meet(plan(1, 2)));
  teams.insert(teams.begin(), waiting.get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: a rank 0 of an earlier attempt exits when a rank of a newer attempt connects") {
  MeetingPlan first = plan(0, 2), newer = plan(1, 2);
  newer.launch.attempt = 1;
  newer.timeout = 1s;
  auto waiting = begin(first);
  auto coming = begin(newer);
  CHECK(why_failed<PeerLost>(std::move(waiting)) == "attempt 1 has started");
  CHECK_THROWS_AS(coming.get(), MeetingFailed);
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: if a flag or the number of ranks differs, the error names both values") {
  auto waiting = begin(plan(0, 2));
  MeetingPlan other = plan(1, 2);
  std::string expected;
  SUBCASE("flags") {
    other.configuration["seed"] = "2";
    expected = "its seed is 2, rank 0's is 1";
  }
  SUBCASE("ranks") {
    other.launch.world = 3;
    expected = "it claims to be rank 1 of 3, but rank 0 expects 2 ranks";
  }
  CHECK(why_failed<Error>(begin(other)) == (expected.empty() ? "no failure" : expected));
  // The right rank can join. A different machine is not a reason for a rejection.
  MeetingPlan right = plan(1, 2);
  right.configuration["machine"] = "n";
  meet(right);
  waiting.get();
  CHECK(has_said("rank 1 runs on n, rank 0 on m"));
}

TEST_CASE_FIXTURE(
    MeetingFixture,
    "meeting: a rank that reaches another job's rank 0, at an address that was reused, keeps looking") {
  MeetingPlan first = plan(0, 2), lost = plan(1, 2);
  first.launch.job = "a";
  lost.launch.job = "b";
  auto waiting = begin(first);
  auto coming = begin(lost);
  wait_until_said(
      "waiting for rank 0 at 127.0.0.1, port " + std::to_string(port) +
      " (the process at that address rejected this rank: it belongs to job b, but this is job a)");
  signal = SIGTERM;
  CHECK_THROWS_AS(waiting.get(), StoppedEarly);
  CHECK_THROWS_AS(coming.get(), StoppedEarly);
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: a rank that leaves and returns from another port gets its place again") {
  auto waiting = begin(plan(0, 3));
  std::atomic<int> stopped{0};
  MeetingPlan first_life = plan(1, 3);
  first_life.stop_signal = [&] { return stopped.load(); };
  auto life = begin(first_life);
  poll(nullptr, 0, 300);
  stopped = SIGTERM;
  CHECK_THROWS_AS(life.get(), StoppedEarly);
  wait_until_said("rank 1 has disconnected");
  auto second = begin(plan(1, 3)), third = begin(plan(2, 3));
  std::vector<Team> teams;
  for (auto* team : {&waiting, &second, &third}) teams.push_back(team->get());
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture, "meeting: a port in use is tried until it is free") {
  auto holder = std::make_unique<Fd>(listen_at(port));
  REQUIRE(holder->get() >= 0);
  MeetingPlan first = plan(0, 2);
  first.launch.local_world = 1;
  auto waiting = begin(first);
  wait_until_said("EADDRINUSE");
  holder.reset();
  meet(plan(1, 2));
  waiting.get();
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: strangers are rejected, and silent connections do not delay the others") {
  auto waiting = begin(plan(0, 2));
  Fd silent = call(host, port), web = call(host, port), huge = call(host, port), odd = call(host, port);
  const std::string get = "GET / HTTP/1.1\r\n\r\n", long_one = "kmlt\xff\xff\xff\xff";
  send(web.get(), get.data(), get.size(), MSG_NOSIGNAL);
  send(huge.get(), long_one.data(), long_one.size(), MSG_NOSIGNAL);
  send_message(odd.get(), nlohmann::json::parse(R"({"rank":"one"})"));
  wait_until_said("not a rank of this version");
  meet(plan(1, 2));
  waiting.get();
  CHECK(has_said("not a rank: closed the connection from 127.0.0.1:"));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: an elastic job starts with the ranks that have arrived, renumbered") {
  std::vector<std::future<Team>> coming;
  for (uint32_t rank : {0, 3, 2}) {
    MeetingPlan elastic = plan(rank, 4);
    elastic.launch.least_world = 2;
    elastic.last_call = 1s;
    coming.push_back(begin(elastic));
  }
  std::vector<Team> teams;
  for (auto& team : coming) teams.push_back(team.get());
  CHECK(teams[0].rank == 0);
  CHECK(teams[1].rank == 2);
  CHECK(teams[2].rank == 1);
  check_joined(std::move(teams));
}

TEST_CASE_FIXTURE(MeetingFixture,
                  "meeting: an elastic job learns of a rank that arrives later, if the rank belongs to it") {
  const auto elastic = [this](uint32_t rank) {
    MeetingPlan plan = this->plan(rank, 3);
    plan.launch.least_world = 1;
    plan.last_call = 0s;
    return plan;
  };
  Team team = meet(elastic(0));
  REQUIRE(team.door);
  CHECK(team.peers.size() == 1);
  CHECK_FALSE(team.door->someone_waits());
  const auto hear = [&](const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!has_said(text)) {
      REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, "never said: " << text << "\n" << said);
      CHECK_FALSE(team.door->someone_waits());
    }
  };
  const Fd silent = call(host, port);
  {
    const Fd web = call(host, port);
    const std::string get = "GET / HTTP/1.1\r\n\r\n";
    send(web.get(), get.data(), get.size(), MSG_NOSIGNAL);
    hear("not a rank: closed the connection from 127.0.0.1:");
  }
  MeetingPlan other = elastic(1);
  other.configuration["seed"] = "2";
  auto refused = begin(other);
  hear("its seed is 2, rank 0's is 1");
  CHECK_THROWS_AS(refused.get(), Error);

  // A rank that has left again is not included.
  std::atomic<int> stopped{0};
  MeetingPlan short_life = elastic(1);
  short_life.stop_signal = [&] { return stopped.load(); };
  auto life = begin(short_life);
  while (!team.door->someone_waits()) poll(nullptr, 0, 1);
  stopped = SIGTERM;
  CHECK_THROWS_AS(life.get(), StoppedEarly);
  while (team.door->someone_waits()) poll(nullptr, 0, 1);
  CHECK(has_said("rank 1 has disconnected"));

  // The ranks meet when rank 0 is ready for it.
  auto coming = begin(elastic(2));
  while (!team.door->someone_waits()) poll(nullptr, 0, 1);
  team = Team();
  MeetingPlan again = elastic(0);
  again.last_call = 20s;
  auto first = begin(again), third = begin(elastic(1));
  std::vector<Team> teams;
  for (auto* one : {&first, &third, &coming}) teams.push_back(one->get());
  CHECK_FALSE(teams[0].door);
  check_joined(std::move(teams));
}
