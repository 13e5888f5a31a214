#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "job/commands/named_job.h"
#include "kml/base/missing_path.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/why.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/commands/copy_side.h"
#include "pod/commands/named_rank.h"
#include "pod/commands/sync.h"
#include "pod/sync/sync.h"

namespace kml::cli {

namespace {

struct SyncOptions {
  std::vector<std::string> words;
  std::string container;
  bool deletes = false, is_once = false;
};

/// Returns a function that finds the rank's current pod. If the job has ended, the function throws an Error
/// without a reason, so that the sync does not wait for a new pod.
std::function<pod::RunningRank()> current_rank(Context& context, const std::string& typed,
                                               const std::string& container) {
  const std::string name = lasting_name(context, typed, named_rank(context, typed, container));
  return [&context, name, container] {
    try {
      return named_ranks(context, name, container)[0];
    } catch (Error& error) {
      if (error.reason == pod::kNotRunning &&
          job::has_ended(job::view_of_job(named_job_or_task(context, pod::split_rank(name).name).job).state))
        error.reason.clear();
      throw;
    }
  };
}

int run_sync(Context& context, const SyncOptions& options) {
  const CopySide folder = parse_copy_side(options.words[0]), target = parse_copy_side(options.words[1]);
  if (!folder.is_here() || target.kind != CopySide::Kind::job)
    throw usage_error("kml syncs a folder on this machine to a running pod",
                      "FOLDER is a path on this machine, and the target is JOB[/RANK]:PATH",
                      "kml sync . bert:code");
  std::error_code fault;
  if (!std::filesystem::is_directory(folder.path, fault)) throw not_a_folder(folder.path);
  const job::Interrupt interrupt;
  sync_folder(context,
              {.folder = folder.path,
               .typed = target.name,
               .target = target.path,
               .container = options.container,
               .deletes = options.deletes,
               .is_once = options.is_once},
              interrupt);
  return 0;
}

}  // namespace

void sync_folder(Context& context, const FolderToSync& wanted, const job::Interrupt& interrupt) {
  const pod::SyncPlan plan = {.folder = wanted.folder,
                              .target = wanted.target.empty() ? "." : wanted.target,
                              .find = current_rank(context, wanted.typed, wanted.container),
                              .deletes = wanted.deletes,
                              .is_on_this_machine = context.place().is_local,
                              .ends_equal = wanted.is_once};
  pod::sync_to_pod(
      context.client(), plan, [&context](const std::string& text) { context.note(text); }, interrupt);
}

Command sync_command() {
  auto options = std::make_shared<SyncOptions>();
  Command command{"sync", "Keep a folder in a running pod in sync with a code folder on this machine"};
  command.description =
      R"(kml sends the files in FOLDER that differ from those in the pod, and then each file that you change, until Ctrl-C.
The sync is one-way, so changes in the pod are not copied back. kml deletes files in the pod only with --delete.

In a git repository, kml leaves out the files that git ignores; elsewhere, it leaves out well-known caches. Files that
change together appear together in the pod, each one complete and with the same SHA-256. If the connection breaks or
the pod is replaced, kml compares all files again.

The image needs `sh`, `tar`, `xargs`, `sha256sum`, `mkdir`, `rm` and `mv`, which busybox and most Linux distributions
have. `kml dev --sync FOLDER` does the same for the pod of a session.)";
  command.examples = R"(# Send the folder src to the folder code of the first rank, and then each change
kml sync src bert:code
# Send it once, to rank 3
kml sync --once src bert/3:/tmp/src)";
  command.takes(kSyncSides, options->words, "the folder to send, and the target folder in a pod", 2, 2);
  takes_container(command, options->container);
  command.flag("--delete", options->deletes, "delete files in the pod when you delete them here")
      .details(
          "When you delete a file here while kml runs, delete it in the pod too, with folders that become "
          "empty. Other files in the pod stay.");
  command.flag("--once", options->is_once, "send the files and exit, without waiting for changes")
      .details("Exit as soon as the pod has every file, instead of waiting for changes.");
  command.run = [options](Context& context) { return run_sync(context, *options); };
  return command;
}

}  // namespace kml::cli
