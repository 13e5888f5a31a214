#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/collectives.h"
#include "comm/meeting.h"
#include "comm/tcp_communicator.h"

using namespace trainer;
using namespace std::chrono_literals;

struct MeetingFixture {
  std::string host = "127.0.0.1";
  /// Binds the port without listening, so that no other process gets the port. Rank 0 can still listen on it
  /// (SO_REUSEADDR).
  const Fd reserved = reserve_port();
  const uint16_t port = local_address(reserved.get()).port();
  std::mutex mutex;
  std::string said;
  std::atomic<int> signal{0};

  static Fd reserve_port() {
    Fd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1, off = 0;
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    REQUIRE(bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0);
    return fd;
  }

  static uint16_t free_port() { return local_address(listen_at(0).get()).port(); }

  MeetingPlan plan(uint32_t rank, uint32_t world) {
    MeetingPlan plan;
    plan.launch.rank = rank;
    plan.launch.world = plan.launch.least_world = plan.launch.local_world = world;
    plan.launch.master_address = host;
    plan.launch.master_port = port;
    plan.configuration = {{"seed", "1"}, {"machine", "m"}};
    plan.timeout = 20s;
    plan.say = [this](const std::string& text) {
      const std::lock_guard lock(mutex);
      said += text + "\n";
    };
    plan.stop_signal = [this] { return signal.load(); };
    return plan;
  }

  bool has_said(const std::string& text) {
    const std::lock_guard lock(mutex);
    return said.find(text) != std::string::npos;
  }

  void wait_until_said(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!has_said(text)) {
      REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, "never said: " << text << "\n" << said);
      poll(nullptr, 0, 5);
    }
  }
};

inline std::future<Team> begin(const MeetingPlan& plan) {
  return std::async(std::launch::async, [plan] { return meet(plan); });
}

/// Checks that each rank receives from every other rank, so that all connections lead to the right rank.
inline void check_joined(std::vector<Team> teams) {
  std::vector<std::thread> threads;
  std::vector<std::vector<uint32_t>> heard(teams.size());
  for (size_t i = 0; i < teams.size(); ++i) {
    threads.emplace_back([&, i] {
      const uint32_t rank = teams[i].rank;
      TcpCommunicator communicator(rank, std::move(teams[i].peers));
      heard[i] = all_gather_values(communicator, rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& ranks : heard) {
    REQUIRE(ranks.size() == teams.size());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) CHECK(ranks[rank] == rank);
  }
}

template <typename Failure>
std::string why_failed(std::future<Team> team) {
  try {
    team.get();
  } catch (const Failure& error) {
    return error.why();
  }
  return "no failure";
}

/// Connects to a rank 0 that will soon listen.
inline Fd call(const std::string& host, uint16_t port) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  for (;;) {
    std::string why;
    Fd fd = begin_connect(resolve(host, port, why).at(0));
    pollfd source{fd.get(), POLLOUT, 0};
    if (fd.get() >= 0 && poll(&source, 1, 5000) == 1 && connection_error(fd.get()) == 0) return fd;
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    poll(nullptr, 0, 5);
  }
}
