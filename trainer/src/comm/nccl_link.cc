#include "comm/nccl_link.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include "base/say.h"
#include "comm/collectives.h"
#include "comm/peer_lost.h"

namespace trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPause = 1;  ///< ms between two checks of whether all have joined
constexpr auto kHeartbeat = std::chrono::milliseconds(100);
constexpr auto kFarewell = std::chrono::seconds(3);  ///< limits a proper end, because a GPU may hang

/// A text that ranks can send to each other.
struct Note {
  char text[400] = "";

  explicit Note(const std::string& from = "") { strncpy(text, from.c_str(), sizeof text - 1); }
  std::string get() const { return text; }
};

/// The reason against NCCL from the first rank that has one; empty if no rank has one.
std::string first_of(const std::vector<Note>& notes) {
  for (size_t rank = 0; rank < notes.size(); ++rank) {
    if (notes[rank].text[0]) return "rank " + std::to_string(rank) + ": " + notes[rank].get();
  }
  return "";
}

/// Detects two ranks on the same GPU. NCCL also rejects this, but late and with a vague message
/// (github.com/NVIDIA/nccl/issues/418). NCCL 2.30 and later accept it if this variable is set.
std::string shared_gpu(const std::vector<Note>& gpus) {
  if (const char* allowed = getenv("NCCL_MULTI_RANK_GPU_ENABLE"); allowed && allowed == std::string_view("1"))
    return "";
  for (size_t i = 0; i < gpus.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (gpus[i].get() == gpus[j].get()) {
        return "ranks " + std::to_string(j) + " and " + std::to_string(i) +
               " use the same GPU, which NCCL does not allow";
      }
    }
  }
  return "";
}

/// Ends this process after a short time. Until the process ends, kernels that wait for a lost rank may block
/// the GPU, and all code that waits for the GPU.
void end_soon() {
  std::thread([] {
    std::this_thread::sleep_for(kFarewell);
    say("the GPU does not respond, so this process cannot exit cleanly");
    _exit(kStartAgain);
  }).detach();
}

}  // namespace

std::unique_ptr<NcclLink> NcclLink::connect(Communicator& ranks, const NcclPlan& plan, std::string& why) {
  const nccl::Library* library = nccl::load(why);
  const std::string lacking = first_of(all_gather_values(ranks, Note(why)));
  const std::string shared = shared_gpu(all_gather_values(ranks, Note(plan.gpu)));
  why = lacking.empty() ? shared : lacking;
  if (!why.empty()) return nullptr;

  nccl::UniqueId id = {};
  if (ranks.rank() == 0) {
    const nccl::Result result = library->get_unique_id(&id);
    if (result != nccl::Result::success)
      why = std::string("ncclGetUniqueId: ") + library->get_error_string(result);
  }
  why = first_of(all_gather_values(ranks, Note(why)));
  if (!why.empty()) return nullptr;
  broadcast(ranks, std::as_writable_bytes(std::span(&id, 1)));

  std::unique_ptr<NcclLink> link(new NcclLink(*library, ranks, plan));
  why = first_of(all_gather_values(ranks, Note(link->join(id))));
  if (why.empty()) return link;
  link->begin_end(library->abort);
  if (!link->has_ended()) say("ncclCommAbort does not return; continuing without NCCL");
  return nullptr;
}

NcclLink::~NcclLink() {
  if (std::uncaught_exceptions() > exceptions_) {  // a rank may be lost
    end_soon();
    begin_end(library_.abort);
  } else if (finalize()) {
    begin_end(library_.destroy);
  } else {
    say("NCCL does not complete its work; aborting NCCL");
    begin_end(library_.abort);
  }
  if (!has_ended()) say("NCCL does not close the connection between the GPUs");
}

/// Joins the ranks. Returns why this failed, or an empty text.
std::string NcclLink::join(const nccl::UniqueId& id) {
  nccl::Config config;
  const auto deadline = Clock::now() + plan_.timeout;
  const nccl::Result result = library_.init_rank(&comm_, static_cast<int>(ranks_.world()), id,
                                                 static_cast<int>(ranks_.rank()), &config);
  if (result != nccl::Result::success && result != nccl::Result::in_progress) {
    comm_ = nullptr;
    return std::string("ncclCommInitRankConfig: ") + library_.get_error_string(result);
  }
  for (bool finished = false;;) {
    if (const std::string error = progress(finished); !error.empty())
      return "NCCL cannot join the ranks: " + error;
    if (finished) return "";
    if (Clock::now() > deadline) return "NCCL did not connect the ranks in time";
    ranks_.check_peers();
    poll(nullptr, 0, kPause);
  }
}

/// Sets `finished` if NCCL has finished the last request. Returns the error, or an empty text.
std::string NcclLink::progress(bool& finished) {
  nccl::Result state = nccl::Result::success;
  const nccl::Result result = library_.get_async_error(comm_, &state);
  if (result != nccl::Result::success) state = result;
  finished = state != nccl::Result::in_progress;
  if (!finished || state == nccl::Result::success) return "";
  return library_.get_error_string(state);
}

/// Waits until NCCL has started a call that returned `result`.
void NcclLink::settle(nccl::Result result, const char* what) {
  for (bool finished = result == nccl::Result::success; !finished;) {
    if (result != nccl::Result::in_progress)
      lose(std::string(what) + ": " + library_.get_error_string(result));
    if (const std::string error = progress(finished); !error.empty()) lose(std::string(what) + ": " + error);
    try {
      ranks_.check_peers();
    } catch (const PeerLost& lost) {
      lose(lost.why());
    }
  }
}

void NcclLink::exchange(std::span<const DeviceSend> sends, std::span<const DeviceReceive> receives,
                        nccl::CudaStream stream) {
  settle(library_.group_start(), "ncclGroupStart");
  for (const DeviceSend& s : sends) {
    settle(library_.send(s.data, s.count, nccl::DataType::float32, static_cast<int>(s.to), comm_, stream),
           "ncclSend");
  }
  for (const DeviceReceive& r : receives) {
    settle(
        library_.receive(r.data, r.count, nccl::DataType::float32, static_cast<int>(r.from), comm_, stream),
        "ncclRecv");
  }
  settle(library_.group_end(), "ncclGroupEnd");
}

void NcclLink::add_up(float* values, size_t count, uint32_t* flag, nccl::CudaStream stream) {
  settle(library_.group_start(), "ncclGroupStart");
  settle(library_.all_reduce(values, values, count, nccl::DataType::float32, nccl::Operation::sum, comm_,
                             stream),
         "ncclAllReduce");
  settle(library_.all_reduce(flag, flag, 1, nccl::DataType::uint32, nccl::Operation::max, comm_, stream),
         "ncclAllReduce");
  settle(library_.group_end(), "ncclGroupEnd");
}

void NcclLink::wait(const std::function<bool()>& done) {
  const auto start = Clock::now();
  auto next_look = start + kHeartbeat;
  while (!done()) {
    std::this_thread::yield();
    if (Clock::now() < next_look) continue;
    next_look = Clock::now() + kHeartbeat;
    bool finished = false;
    if (const std::string error = progress(finished); !error.empty()) lose("NCCL: " + error);
    try {
      ranks_.check_peers();
    } catch (const PeerLost& lost) {
      lose(lost.why());
    }
    if (plan_.patience.count() > 0 && Clock::now() - start >= plan_.patience) {
      lose("NCCL has waited for the GPUs of the other ranks for " + std::to_string(plan_.patience.count()) +
           " s (--stall-timeout)");
    }
  }
}

/// Waits until NCCL has completed the link's work. Returns false after a timeout or an error.
bool NcclLink::finalize() {
  if (!comm_) return true;
  const auto deadline = Clock::now() + plan_.abort_timeout;
  const nccl::Result result = library_.finalize(comm_);
  if (result != nccl::Result::success && result != nccl::Result::in_progress) return false;
  for (bool finished = false; !finished; poll(nullptr, 0, kPause)) {
    if (!progress(finished).empty() || Clock::now() > deadline) return false;
  }
  return true;
}

/// Begins to end the link by one of NCCL's functions, in a thread that is abandoned if the function hangs.
void NcclLink::begin_end(nccl::Result (*how)(nccl::Comm)) {
  if (!comm_) return;
  std::packaged_task<void()> task([how, comm = std::exchange(comm_, nullptr)] { how(comm); });
  ended_ = task.get_future();
  std::thread(std::move(task)).detach();
}

/// Waits for the function of begin_end(). Returns false if it hangs.
bool NcclLink::has_ended() {
  const auto ended = std::move(ended_);
  return !ended.valid() || ended.wait_for(plan_.abort_timeout) == std::future_status::ready;
}

/// Does not wait until NCCL has aborted: NCCL first waits until the graphs are destroyed, which happens while
/// the exception is being handled.
void NcclLink::lose(const std::string& why) {
  end_soon();
  begin_end(library_.abort);
  throw PeerLost(why);
}

}  // namespace trainer
