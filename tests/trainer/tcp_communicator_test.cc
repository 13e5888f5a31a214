#include "comm/tcp_communicator.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "comm/peer_lost.h"

namespace tcp_communicator_test {

using namespace trainer;

namespace {

/// Rank 0 of four, and the other ends of its connections.
struct FourRanks {
  FourRanks() {
    std::vector<Fd> peers(1);
    for (size_t peer = 1; peer < 4; ++peer) {
      int ends[2];
      REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
      peers.emplace_back(ends[0]);
      others[peer] = Fd(ends[1]);
    }
    rank0 = std::make_unique<TcpCommunicator>(0, std::move(peers), std::chrono::seconds(1));
  }

  /// Why an exchange fails in which every other rank should send two bytes.
  std::string why_failed() {
    std::array<std::array<std::byte, 2>, 4> received{};
    std::vector<Receive> receives;
    for (uint32_t peer = 1; peer < 4; ++peer) receives.push_back({peer, received[peer]});
    try {
      rank0->exchange({}, receives);
    } catch (const PeerLost& lost) {
      return lost.why();
    }
    return "";
  }

  std::array<Fd, 4> others;
  std::unique_ptr<TcpCommunicator> rank0;
};

}  // namespace

TEST_CASE("tcp communicator: exactly the ranks that do not answer are named") {
  struct Row {
    std::array<size_t, 4> sent;  ///< how many bytes each rank sends
    std::string why;
  };
  const std::string end = " exchanged nothing for 1 s (--stall-timeout)";
  const Row rows[] = {{{0, 2, 2, 2}, ""},
                      {{0, 2, 2, 0}, "rank 3 has" + end},
                      {{0, 2, 1, 2}, "rank 2 has" + end},
                      {{0, 2, 0, 1}, "ranks 2, 3 have" + end},
                      {{0, 0, 0, 0}, "ranks 1, 2, 3 have" + end}};
  for (const Row& row : rows) {
    FourRanks ranks;
    for (size_t peer = 1; peer < 4; ++peer)
      REQUIRE(send(ranks.others[peer].get(), "ab", row.sent[peer], 0) ==
              static_cast<ssize_t>(row.sent[peer]));
    CHECK(ranks.why_failed() == row.why);
  }
}

}  // namespace tcp_communicator_test
