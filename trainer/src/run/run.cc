#include "run/run.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/say.h"
#include "base/stop.h"
#include "comm/meeting.h"
#include "comm/shards.h"
#include "comm/tcp_communicator.h"
#include "launch/launch.h"
#include "launch/local_ranks.h"
#include "run/identity.h"
#include "run/parts.h"
#include "run/steps.h"

namespace trainer {

namespace {

std::filesystem::path default_data_folder() {
  if (const char* cache = getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::filesystem::path(cache) / "kml/mnist";
  const char* home = getenv("HOME");
  return std::filesystem::path(home ? home : ".") / ".cache/kml/mnist";
}

Launch launch_of(const Options& options) {
  Launch alone;
  alone.source = "--launch=single";
  Launch launch = options.single ? alone : find_launch(find_surroundings());
  if (launch.world > kShards && !options.fast) {
    throw Error(std::to_string(launch.world) + " ranks",
                "at most " + std::to_string(kShards) + " ranks give exactly the result of one rank",
                "pass --fast; the last bits of the result then depend on the number of ranks", 2);
  }
  if (launch.world > options.batch_size) {
    throw Error(std::to_string(launch.world) + " ranks",
                "a batch has fewer examples than the number of ranks", "raise --batch-size", 2);
  }
  return launch;
}

struct Peers {
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Door> door;
};

Peers find_peers(const Launch& launch, const Options& options, const Dataset& data) {
  if (launch.world == 1) return {std::make_unique<LocalCommunicator>(), nullptr};
  MeetingPlan plan;
  plan.launch = launch;
  plan.configuration = configuration(options, data);
  plan.timeout = std::chrono::seconds(options.meeting_timeout);
  plan.last_call = std::chrono::seconds(launch.last_call);
  plan.say = say;
  plan.stop_signal = stop_signal;
  Team team = meet(plan);
  speak_as_rank(team.rank);
  say("rank " + std::to_string(team.rank) + " of " + std::to_string(team.peers.size()) +
      " is connected to the others through " + launch.master_address + ", port " +
      std::to_string(launch.master_port));
  // Without a checkpoint, a new meeting would lose all work so far.
  if (options.checkpoint_dir.empty()) team.door.reset();
  return {std::make_unique<TcpCommunicator>(team.rank, std::move(team.peers),
                                            std::chrono::seconds(options.stall_timeout)),
          std::move(team.door)};
}

int train(const Launch& launch, const Options& options, const Dataset& data, Parallel& parallel) {
  for (;;) {
    const Peers peers = find_peers(launch, options, data);
    const int status = run_steps(options, data, parallel, *peers.communicator, [&] {
      const int signal = stop_signal();
      return signal == 0 && peers.door && peers.door->someone_waits() ? kMoreRanks : signal;
    });
    if (status != kMeetAgain) return status;
  }
}

}  // namespace

int run(const Options& asked, char** arguments) {
  Options options = asked;
  const Launch launch = launch_of(options);
  if (launch.starts_ranks) return run_local_ranks(launch, arguments);
  if (launch.world > 1) speak_as_rank(launch.rank);
  const unsigned threads =
      options.threads ? options.threads : std::max(1u, usable_cpus() / launch.local_world);
  Parallel parallel(threads);
  const std::filesystem::path folder = options.data.empty() ? default_data_folder() : options.data;
  const Dataset data = load_dataset(folder, options.verify, parallel);
  const ChosenDevice chosen = choose_device(options.device, launch.local_rank, say);
  options.device = chosen.device;
  options.gpu = chosen.gpu;
  options.block_shared = chosen.block_shared;
  if (options.device == Device::cpu && options.precision != Precision::fp32) {
    throw Error("--precision applies only to GPUs", "this training runs on the CPU, which computes in fp32",
                "leave it out, or pass --device=cuda", 2);
  }
  if (options.device == Device::cpu && options.transport == Transport::nccl) {
    throw Error("--communicator=nccl applies only to GPUs", "this training runs on the CPU",
                "leave it out, or pass --device=cuda", 2);
  }
  say("device=" + device_name(options.device) +
      (options.gpu.empty() ? ""
                           : " gpu=\"" + options.gpu + "\" precision=" + precision_name(options.precision)) +
      " threads=" + std::to_string(threads) + " launch=\"" + launch.source +
      "\" seed=" + std::to_string(options.seed) + " data=" + folder.string() + " (" + data.name + ", " +
      std::to_string(data.train.images.count) + " + " + std::to_string(data.test.images.count) + " images)");
  if (const std::string note = kernels_note(options, data.shape()); !note.empty()) say(note);
  if (data.name != "MNIST") say("the data are not MNIST: the accuracy will differ from the demo's");
  return train(launch, options, data, parallel);
}

}  // namespace trainer
