// The part of NCCL that the trainer uses, between the emulated GPUs of one host, over Unix sockets. As with
// the real NCCL, a kernel that waits for a lost rank waits until the communicator is aborted, and a
// communicator ends slowly, in a separate thread, once no graph contains its work. The environment variable
// FAKE_NCCL causes one further fault: join_hangs, abort_hangs, join_and_abort_hang, no_id, exchange_hangs
// (from the 20th exchange on). EMULATED_NCCL_COUNT is a file to which each rank appends the number of its
// exchanges: groups of calls, or single ones.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "comm/nccl_library.h"
#include "cuda_runtime.h"

using namespace trainer::nccl;

struct trainer::nccl::ncclComm {
  int rank, ranks;
  UniqueId id;
  std::vector<int> peers;
  std::atomic<bool> joined{false}, aborted{false}, finalized{false};
  std::vector<emulator::Stall> stalled;
  std::thread joining;
  int works = 0;
  std::shared_ptr<int> graphs = std::make_shared<int>();  ///< each operation in a graph has a copy
};

namespace {

bool told(const char* fault) {
  const char* faults = getenv("FAKE_NCCL");
  return faults && std::string(faults) == fault;
}

socklen_t address_of(const UniqueId& id, int rank, sockaddr_un& address) {
  address = {AF_UNIX, ""};
  const std::string name = std::string("fake-nccl-") + id.bytes + "-" + std::to_string(rank);
  memcpy(address.sun_path + 1, name.data(), name.size());  // abstract, so no file remains
  return static_cast<socklen_t>(sizeof address.sun_family + 1 + name.size());
}

/// Each rank connects to the ranks below it, and accepts connections from those above.
void join(ncclComm* comm) {
  sockaddr_un address;
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bind(listener, reinterpret_cast<sockaddr*>(&address), address_of(comm->id, comm->rank, address));
  listen(listener, 16);
  for (int rank = 0; rank < comm->rank; ++rank) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const socklen_t size = address_of(comm->id, rank, address);
    while (!comm->aborted && connect(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) usleep(1000);
    send(fd, &comm->rank, sizeof comm->rank, MSG_NOSIGNAL);
    comm->peers[rank] = fd;
  }
  for (int missing = comm->ranks - comm->rank - 1; missing > 0 && !comm->aborted;) {
    pollfd source{listener, POLLIN, 0};
    if (poll(&source, 1, 10) <= 0) continue;
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    int rank = 0;
    if (recv(fd, &rank, sizeof rank, MSG_WAITALL) == sizeof rank) comm->peers[rank] = fd, --missing;
  }
  close(listener);
  if (!told("join_hangs") && !told("join_and_abort_hang")) comm->joined = true;
}

struct Transfer {
  bool sends;
  int peer;
  char* bytes;
  size_t left;
};

/// Transfers data until all transfers are complete. Returns false if a peer has ended.
bool move_all(ncclComm* comm, std::vector<Transfer> transfers) {
  for (;;) {
    std::vector<pollfd> sources;
    for (int peer = 0; peer < comm->ranks; ++peer) {
      short events = 0;
      for (const bool sends : {true, false}) {
        for (Transfer& t : transfers) {
          if (t.peer != peer || t.sends != sends || t.left == 0) continue;
          const int fd = comm->peers[peer];
          const ssize_t moved = sends ? send(fd, t.bytes, t.left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                      : recv(fd, t.bytes, t.left, MSG_DONTWAIT);
          if (moved == 0 || (moved < 0 && errno != EAGAIN)) return false;
          if (moved > 0) t.bytes += moved, t.left -= static_cast<size_t>(moved);
          if (t.left == 0) continue;
          events = static_cast<short>(events | (sends ? POLLOUT : POLLIN));
          break;  // later transfers with this peer must wait for this one
        }
      }
      if (events) sources.push_back({comm->peers[peer], events, 0});
    }
    if (sources.empty()) return true;
    poll(sources.data(), sources.size(), 1000);
  }
}

void put(ncclComm* comm, CudaStream to, std::function<bool()> work) {
  auto* stream = static_cast<emulator::Stream*>(to);
  const std::shared_ptr<int> held = emulator::is_capturing(stream) ? comm->graphs : nullptr;
  emulator::enqueue(stream, [=] {
    (void)held;
    const bool hangs = ++comm->works >= 20 && told("exchange_hangs");
    if (hangs || !work()) comm->stalled.push_back(emulator::stall(stream));
  });
}

/// Fails if the process exits while a communicator ends, because that communicator's thread would use objects
/// that exit() destroys.
struct Ending {
  std::atomic<int> count{0};
  ~Ending() {
    if (count == 0) return;
    fprintf(stderr, "emulated NCCL: the process exits while a communicator ends\n");
    _exit(99);
  }
} ending;

void end(ncclComm* comm) {
  comm->joining.join();
  while (comm->graphs.use_count() > 1) usleep(1000);
  usleep(50000);
  for (const int fd : comm->peers) close(fd);
  delete comm;
  --ending.count;
}

thread_local struct {
  bool open = false;
  ncclComm* comm = nullptr;
  CudaStream stream = nullptr;
  std::vector<std::function<bool()>> sums;
  std::vector<Transfer> transfers;
} group;

Result add(ncclComm* comm, CudaStream stream, Transfer transfer) {
  group.comm = comm;
  group.stream = stream;
  group.transfers.push_back(transfer);
  return Result::success;
}

}  // namespace

extern "C" {

Result ncclGetVersion(int* version) {
  return *version = 22703, Result::success;
}
const char* ncclGetErrorString(Result) {
  return "an error of the emulated NCCL";
}

Result ncclGetUniqueId(UniqueId* id) {
  if (told("no_id")) return static_cast<Result>(2);
  snprintf(id->bytes, sizeof id->bytes, "%d-%u", getpid(), std::random_device()());
  return Result::success;
}

Result ncclCommInitRankConfig(Comm* comm, int ranks, UniqueId id, int rank, Config* config) {
  if (config->blocking != 0 || config->size != sizeof *config) return static_cast<Result>(4);
  *comm = new ncclComm{rank, ranks, id, std::vector<int>(ranks, -1)};
  (*comm)->joining = std::thread(join, *comm);
  return Result::in_progress;
}

Result ncclCommGetAsyncError(Comm comm, Result* state) {
  const bool finishing = comm->finalized && comm->graphs.use_count() > 1;
  *state = comm->joined && !finishing ? Result::success : Result::in_progress;
  return Result::success;
}

Result ncclCommFinalize(Comm comm) {
  comm->finalized = true;
  return Result::in_progress;
}

Result ncclCommAbort(Comm comm) {
  if (told("abort_hangs") || told("join_and_abort_hang")) pause();
  comm->aborted = true;
  for (const emulator::Stall& stalled : comm->stalled) *stalled = false;
  ++ending.count;
  std::thread(end, comm).detach();
  return Result::in_progress;
}

Result ncclCommDestroy(Comm comm) {
  if (const char* file = getenv("EMULATED_NCCL_COUNT")) {
    const std::string line = std::to_string(comm->works) + "\n";
    const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write(fd, line.data(), line.size()) < 0) abort();
    close(fd);
  }
  if (!comm->finalized) fprintf(stderr, "emulated NCCL: destroyed before it was finalized\n"), abort();
  return ncclCommAbort(comm);
}

Result ncclGroupStart() {
  return group.open = true, Result::success;
}

Result ncclGroupEnd() {
  group.open = false;
  put(group.comm, group.stream, [comm = group.comm, sums = group.sums, transfers = group.transfers] {
    return std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum(); }) &&
           move_all(comm, transfers);
  });
  group.sums.clear();
  group.transfers.clear();
  return Result::success;
}

Result ncclSend(const void* from, size_t count, DataType, int peer, Comm comm, CudaStream stream) {
  if (!group.open) return static_cast<Result>(5);
  return add(comm, stream, {true, peer, static_cast<char*>(const_cast<void*>(from)), count * 4});
}

Result ncclRecv(void* to, size_t count, DataType, int peer, Comm comm, CudaStream stream) {
  if (!group.open) return static_cast<Result>(5);
  return add(comm, stream, {false, peer, static_cast<char*>(to), count * 4});
}

Result ncclAllReduce(const void* from, void* to, size_t count, DataType type, Operation operation, Comm comm,
                     CudaStream stream) {
  const auto sum = [=] {
    std::vector<std::vector<char>> all(comm->ranks, std::vector<char>(count * 4));
    memcpy(all[comm->rank].data(), from, count * 4);
    std::vector<Transfer> transfers;
    for (int peer = 0; peer < comm->ranks; ++peer) {
      if (peer == comm->rank) continue;
      transfers.push_back({true, peer, all[comm->rank].data(), count * 4});
      transfers.push_back({false, peer, all[peer].data(), count * 4});
    }
    if (!move_all(comm, transfers)) return false;
    for (size_t i = 0; i < count; ++i) {
      float sum = 0;
      uint32_t most = 0;
      for (const auto& values : all) {
        sum += reinterpret_cast<const float*>(values.data())[i];
        most = std::max(most, reinterpret_cast<const uint32_t*>(values.data())[i]);
      }
      if (type == DataType::float32 && operation == Operation::sum) static_cast<float*>(to)[i] = sum;
      if (type == DataType::uint32 && operation == Operation::max) static_cast<uint32_t*>(to)[i] = most;
    }
    return true;
  };
  if (!group.open) return put(comm, stream, sum), Result::success;
  group.comm = comm;
  group.stream = stream;
  group.sums.push_back(sum);
  return Result::success;
}

}  // extern "C"
