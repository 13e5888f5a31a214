#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/flag_duration.h"
#include "kml/base/flag_errors.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/kube/objects/quantity.h"
#include "kml/kube/objects/typed_amount.h"
#include "kml/net/s3/client.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/gc_data.h"
#include "pipeline/engine/gc.h"
#include "pipeline/runner/s3_gc.h"

namespace kml::cli {

namespace {

struct GcFlags {
  std::string keep;
  std::optional<long long> keep_last;
  std::string max_size, store, output;
  std::string data_store, image = "busybox:1";
  bool dry_run = false;
};

/// 0 keeps only what must stay.
std::uintmax_t max_bytes(const std::string& size) {
  const auto bytes = api::quantity_units(size);
  if (bytes == 0) return 0;
  if (const std::string problem = api::bytes_problem(size); !problem.empty())
    throw usage_error("--max-size \"" + size + "\" " + problem, "", "--max-size 100Gi");
  return static_cast<std::uintmax_t>(bytes.value_or(0));
}

pipeline::GcOptions gc_options(const GcFlags& flags) {
  pipeline::GcOptions options;
  if (!flags.keep.empty()) options.keep = duration_in_flag(flags.keep, "--keep");
  if (flags.keep_last) {
    if (*flags.keep_last < 0) throw usage_error("--keep-last: must not be negative");
    options.keep_last = static_cast<size_t>(*flags.keep_last);
  }
  if (!flags.max_size.empty()) {
    options.max_bytes = max_bytes(flags.max_size);
  }
  options.is_dry_run = flags.dry_run;
  return options;
}

/// Removes unneeded files on this machine, or in the bucket of --store.
pipeline::GcReport collected(const GcFlags& flags) {
  const Time now = system_clock().now();
  if (flags.store.empty()) return collect(pipeline::local_store(), gc_options(flags), now);
  if (flags.keep_last || !flags.max_size.empty())
    throw not_together("--keep-last and --max-size", "--store",
                       "the runs that use the bucket may be on other machines",
                       "kml gc --store " + flags.store + " --keep 30d");
  s3::Client client = s3::make_client(s3::parse_bucket(flags.store, "--store"));
  return pipeline::collect(client, gc_options(flags), now);
}

Json to_json(const pipeline::GcReport& report, bool is_dry_run) {
  Json removed = Json::array();
  for (const pipeline::Removed& one : report.removed)
    removed.push_back({{"name", one.name}, {"bytes", one.bytes}});
  return {{"dryRun", is_dry_run}, {"removed", removed}, {"keptBytes", report.kept_bytes}};
}

int collect_data(Context& context, const GcFlags& flags) {
  if (!flags.store.empty() || flags.keep_last || !flags.max_size.empty() || !flags.output.empty())
    throw not_together("--data-store", "--store, --keep-last, --max-size and -o");
  constexpr std::chrono::seconds kMonth = std::chrono::hours(24 * 30), kDay = std::chrono::hours(24);
  const std::chrono::seconds keep = flags.keep.empty() ? kMonth : duration_in_flag(flags.keep, "--keep");
  if (keep < kDay)
    throw usage_error("--keep " + flags.keep + " is too short for --data-store",
                      "data of the last 24 hours may belong to jobs whose pods have not started",
                      "--keep 1d");
  return remove_old_data(context, {flags.data_store, flags.image, keep, flags.dry_run});
}

int run_gc(Context& context, const GcFlags& flags) {
  if (!flags.data_store.empty()) return collect_data(context, flags);
  const pipeline::GcReport report = collected(flags);
  if (!flags.output.empty()) {
    ui::print_value(context.streams(), to_json(report, flags.dry_run), flags.output);
    return 0;
  }
  std::uintmax_t bytes = 0;
  for (const pipeline::Removed& removed : report.removed) {
    bytes += removed.bytes;
    context.streams().out << (flags.dry_run ? "would remove " : "removed ") << removed.name;
    if (removed.bytes > 0) context.streams().out << "  " << size_text(removed.bytes);
    context.streams().out << "\n";
  }
  const std::string kept = size_text(report.kept_bytes) + " of files kept";
  if (report.removed.empty())
    context.note("nothing to remove; " + kept);
  else
    context.note(size_text(bytes) + (flags.dry_run ? " would be freed; " : " freed; ") + kept);
  return 0;
}

}  // namespace

Command gc_command() {
  auto flags = std::make_shared<GcFlags>();
  Command command{"gc", "Remove files of old pipeline runs when they are no longer needed"};
  command.description =
      R"(kml removes the outputs of the steps of `kml run`, and of the jobs of `kml submit --output`. kml keeps the
files of unfinished runs, of runs younger than --keep, of the last runs of each pipeline (--keep-last) and of pinned
artifacts, and files that were made or used within the last 24 hours. kml also keeps files that a kept run reuses from an older run. The runs stay in the list. If
a step's files were removed, the step runs again when they are needed.

With --store, kml removes results from the bucket if they have not been used during the time of --keep. kml then
removes the files that no remaining result or pinned artifact needs. kml removes a result even if a machine still lists
its run. If the result is needed again, its step runs again.

With --data-store, a pod deletes data that `kml submit --data` stored on that claim, if no job that uses the data has
started during the time of --keep. Data that pods use is kept.

kml gc deletes no volume claims, such as those of `kml submit --keep`; `kml list claims` lists them.

You can run kml gc while kml run is running.)";
  command.examples = R"(# See what would be removed
kml gc --dry-run
# Keep a week, and the last two runs of each pipeline
kml gc --keep 7d --keep-last 2
# Keep at most 100 GiB, even if this removes files of younger runs
kml gc --max-size 100Gi
# Delete datasets that no pod uses, and that no job started in the last month has used
kml gc --data-store pvc/datasets)";
  command.options_under("What is removed");
  command.option("--keep", "DURATION", flags->keep, "keep the files of runs younger than this [default: 30d]")
      .details(
          "Keep the files of runs that finished less than this long ago: 12h, 7d. With --store, keep the "
          "results that were used during that time. [default: 30d]");
  command
      .option("--keep-last", "N", flags->keep_last,
              "keep the files of the last N runs of each pipeline [default: 5]")
      .details("Keep the files of the last N runs of each pipeline, whatever their age. [default: 5]");
  command
      .option("--max-size", "SIZE", flags->max_size,
              "also remove files of the oldest runs until the rest is no larger than this")
      .details(
          "Also remove the files of the oldest runs until the remaining files take no more space than this: "
          "100Gi. Files of the last 24 hours, pinned artifacts and unfinished runs are always kept.");
  command.options_under("Where");
  command
      .option("--store", "s3://BUCKET/PREFIX", flags->store,
              "remove results from this bucket instead, if they have not been used for the time of --keep")
      .details(
          "Remove results from this bucket instead of from this machine. Results that were written or used "
          "in the last 24 hours are always kept.");
  command
      .option("--data-store", "pvc/NAME", flags->data_store,
              "remove old data of `kml submit --data` from this claim instead")
      .details(
          "Remove from this volume claim incomplete downloads, and the data of `kml submit --data` that no "
          "pod uses and no job has begun to use for the time of --keep, which must be at least one day.");
  command
      .option("--image", "IMAGE", flags->image,
              "with --data-store: image of the pod that deletes the data [default: busybox:1]")
      .details(
          "The image of the pod that --data-store starts. The image needs no programs. [default: busybox:1]");
  command.options_under("Checks and output");
  command.flag("--dry-run", flags->dry_run, "print what would be removed, and remove nothing")
      .details("Print what would be removed, and remove nothing.");
  add_output_format(command, {"json", "yaml"}, flags->output, "print the report as data")
      .details("Print the removed files, and the size of the remaining ones, in this format.");
  command.run = [flags](Context& context) { return run_gc(context, *flags); };
  return command;
}

}  // namespace kml::cli
