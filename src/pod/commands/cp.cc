#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "job/commands/named_job.h"
#include "kml/base/text.h"
#include "kml/job/views/interrupt.h"
#include "kml/pod/copy/copy.h"
#include "kml/pod/copy/helper_pod.h"
#include "pod/commands/copy_side.h"
#include "pod/commands/named_rank.h"

namespace kml::cli {

namespace {

struct CpOptions {
  std::vector<std::string> words;
  std::string container;
  std::string image = "busybox:1";
};

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenProgress{100};

/// The source and the target of a copy, and the pods it needs.
class Copies {
 public:
  Copies(Context& context, const CpOptions& options) : context_(context), options_(options) {}

  void copy_from(const CopySide& source, const std::string& target);
  void copy_to(const std::vector<CopySide>& sources, const CopySide& target);

 private:
  pod::PodPath open(const CopySide& side, bool is_read_only);
  pod::PodPath open_helper(const CopySide& side, const pod::HelperPlan& plan);
  pod::CopyReport report();
  void show(const pod::CopyResult& result);

  Context& context_;
  const CpOptions& options_;
  const job::Interrupt interrupt_;
  std::list<pod::HelperPod>
      helpers_;  // declared after `interrupt_`, so that a signal cannot keep these pods from being removed
  SteadyClock::time_point begun_ = SteadyClock::now(), shown_ = begun_;
};

pod::PodPath Copies::open_helper(const CopySide& side, const pod::HelperPlan& plan) {
  pod::HelperPod& helper = helpers_.emplace_back(context_.client(), context_.place().namespace_name, plan,
                                                 [this](const std::string& text) { context_.note(text); });
  const std::string shown = side.kind == CopySide::Kind::claim ? "pvc/" + side.name : side.name;
  return {helper.wait(interrupt_), shown, plan.path};
}

pod::PodPath Copies::open(const CopySide& side, bool is_read_only) {
  if (side.kind == CopySide::Kind::claim)
    return open_helper(side, pod::helper_for_claim(side.name, side.path, options_.image, is_read_only));
  try {
    const pod::RunningRank rank = named_rank(context_, side.name, options_.container);
    return {rank, rank.name(), side.path};
  } catch (Error& error) {
    if (error.reason != pod::kNotRunning) throw;
    const job::JobOrTask named = named_job_or_task(context_, pod::split_rank(side.name).name);
    const auto plan = pod::helper_for_job(named.job, side.path, options_.container, is_read_only);
    if (plan) return open_helper(side, *plan);
    error.why =
        side.path + " is not on a volume claim that kml can mount, so kml needs a running pod to copy it";
    error.fix = "to keep results, write them to a claim: kml submit --mount pvc/NAME:/out";
    throw;
  }
}

pod::CopyReport Copies::report() {
  const auto progress = [this](std::uintmax_t done, std::uintmax_t total) {
    const SteadyClock::time_point now = SteadyClock::now();
    if (now - shown_ < kBetweenProgress) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    context_.progress(
        fmt::format("{} of {}, {} a second", size_text(done), size_text(total),
                    size_text(static_cast<std::uintmax_t>(static_cast<double>(done) / seconds))));
  };
  return {.note = [this](const std::string& text) { context_.note(text); }, .progress = progress};
}

void Copies::copy_from(const CopySide& source, const std::string& target) {
  const pod::PodPath place = open(source, true);
  begun_ = SteadyClock::now();
  show(pod::copy_from_pod(context_.client(), place, target, report(), interrupt_));
}

void Copies::copy_to(const std::vector<CopySide>& sources, const CopySide& target) {
  const pod::PodPath place = open(target, false);
  for (const CopySide& source : sources) {
    begun_ = SteadyClock::now();
    show(pod::copy_to_pod(context_.client(), source.path, place, report(), interrupt_));
  }
}

void Copies::show(const pod::CopyResult& result) {
  constexpr size_t kMostSkipped = 5;
  for (size_t i = 0; i < result.skipped.size() && i < kMostSkipped; ++i)
    context_.note("skipped " + result.skipped[i]);
  if (result.skipped.size() > kMostSkipped)
    context_.note(fmt::format("skipped {} more", result.skipped.size() - kMostSkipped));
  context_.note(fmt::format("copied {} {}, {}, to {} in {:.1f}s; {} is equal on both sides", result.files,
                            result.files == 1 ? "file" : "files", size_text(result.bytes), result.target,
                            std::chrono::duration<double>(SteadyClock::now() - begun_).count(),
                            result.sum_tool));
}

int run_cp(Context& context, const CpOptions& options) {
  std::vector<CopySide> sides;
  for (const std::string& word : options.words) sides.push_back(parse_copy_side(word));
  CopySide target = std::move(sides.back());
  sides.pop_back();
  for (const CopySide& source : sides)
    if (source.is_here() == target.is_here())
      throw usage_error(target.is_here() ? "a source and the target are both on this machine"
                                         : "a source and the target are both in a pod or on a claim",
                        "one side is JOB[/RANK]:PATH or pvc/NAME/PATH, the other a path on this machine",
                        "kml cp bert:/out .");
  if (sides.size() > 1 && !target.path.ends_with('/')) target.path += "/";
  Copies copies(context, options);
  try {
    if (!target.is_here()) copies.copy_to(sides, target);
    if (target.is_here())
      for (const CopySide& source : sides) copies.copy_from(source, target.path);
  } catch (const Error& error) {
    context.end_progress();
    if (error.code == ErrorCode::interrupted) context.note("run the command again to continue the copy");
    throw;
  }
  return 0;
}

}  // namespace

Command cp_command() {
  auto options = std::make_shared<CpOptions>();
  Command command{"cp", "Copy files and folders to and from a job's pod or a volume claim"};
  command.description =
      R"(Either the source or the target is JOB[/RANK]:PATH or pvc/CLAIM/PATH, and the other is a path on this machine;
write ./NAME if a local name contains ":". If TARGET is a folder, or if you give several sources, kml copies into
TARGET. Folders are copied with everything in them, and merged into existing folders.

kml compares the SHA-256 of each file on both sides. A file appears under its name only when it is complete; until
then it is called ".NAME.kml-part", or is in a folder with such a name. If the connection breaks, kml continues where
the copy stopped. If kml is interrupted, run the same command again to continue. File modes, modification times, and
symbolic links within the folder are kept. kml skips pipes, sockets, devices, and links that lead out of the folder, and
names the first five.

The image needs `sh` and the usual tools, which busybox and most Linux distributions have. If the image has `tar`,
many small files are copied to the pod faster. Without `sha256sum`, kml falls back to `cksum`.

For pvc/CLAIM, or for a path on a claim of a job that has no running pod, kml starts a temporary pod that mounts the
claim.)";
  command.examples = R"(# A folder from the first rank to this folder
kml cp bert:checkpoints .
# A file to rank 3
kml cp train.sh bert/3:/tmp/train.sh
# From a volume claim
kml cp pvc/runs/bert ./bert-runs)";
  command.takes(kCopySides, options->words, "what to copy, and its destination", 2);
  takes_container(command, options->container);
  command
      .option("--image", "IMAGE", options->image,
              "image of a pod that kml starts for a claim [default: busybox:1]")
      .details(
          "The image of the pod that kml starts for pvc/CLAIM; it needs `sh` and the usual tools. For a "
          "job's claims, kml uses the job's image. [default: busybox:1]");
  command.run = [options](Context& context) { return run_cp(context, *options); };
  return command;
}

}  // namespace kml::cli
