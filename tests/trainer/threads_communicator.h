#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"

namespace trainer {

/// A communicator whose ranks are threads of a test, with mailboxes between them.
class ThreadsCommunicator : public Communicator {
 public:
  struct Post {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<uint32_t, uint32_t>, std::deque<std::byte>> boxes;  ///< (from, to)
  };

  ThreadsCommunicator(uint32_t rank, uint32_t world, Post& post) : Communicator(rank, world), post_(post) {}

 private:
  void do_exchange(std::span<const Send> sends, std::span<const Receive> receives) override {
    std::unique_lock lock(post_.mutex);
    for (const Send& send : sends) {
      auto& box = post_.boxes[{rank(), send.to}];
      box.insert(box.end(), send.bytes.begin(), send.bytes.end());
    }
    post_.changed.notify_all();
    for (const Receive& receive : receives) {
      auto& box = post_.boxes[{receive.from, rank()}];
      post_.changed.wait(lock, [&] { return box.size() >= receive.bytes.size(); });
      std::copy_n(box.begin(), receive.bytes.size(), receive.bytes.begin());
      box.erase(box.begin(), box.begin() + static_cast<std::ptrdiff_t>(receive.bytes.size()));
    }
  }

  Post& post_;
};

/// Runs `rank` in a thread for each of `world` ranks.
inline void as_ranks(uint32_t world, const std::function<void(Communicator&)>& rank) {
  ThreadsCommunicator::Post post;
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < world; ++i) {
    threads.emplace_back([&, i] {
      ThreadsCommunicator communicator(i, world, post);
      rank(communicator);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace trainer
