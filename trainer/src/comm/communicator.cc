#include "comm/communicator.h"

#include <chrono>

namespace trainer {

void Communicator::exchange(std::span<const Send> sends, std::span<const Receive> receives) {
  if (sends.empty() && receives.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  do_exchange(sends, receives);
  for (const Send& send : sends) traffic_.sent += send.bytes.size();
  for (const Receive& receive : receives) traffic_.received += receive.bytes.size();
  traffic_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace trainer
