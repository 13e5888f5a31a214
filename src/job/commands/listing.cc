#include "job/commands/listing.h"
#include "cli/output_format.h"
#include "cli/retry_notes.h"

#include <map>
#include <ostream>

#include "kml/base/kept.h"
#include "kml/job/views/find.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/client/watch.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

void add_listing_flags(Command& command, ListingOptions& options) {
  add_job_filter(command, options.filter);
  command.flag("-A,--all-namespaces", options.all_namespaces, "include all namespaces")
      .after("--since")
      .details("List the jobs, or the objects of KIND, in all namespaces.");
  command.options_under("Output");
  command.flag("-w,--watch", options.watch, "print the table again after each change, until interrupted")
      .details("Print the table again after each change, until interrupted.");
  add_output_format(command, ui::kFormats, options.output, "print objects, names, or more columns")
      .details("Print the objects, their names, or (wide) a table with more columns.");
  command.flag("--no-headers", options.no_headers, "leave out the header line")
      .details("Leave out the header line.");
}

namespace {

/// The listed jobs and pods, which watches keep up to date.
class LiveView {
 public:
  LiveView(Context& context, const std::string& namespace_name, const std::string& selector)
      : client_(context.client()), note_end_of_server_(notes_on_ended_server(context)) {
    for (const api::ResourceKind* kind : job::kinds_to_ask(client_, namespace_name))
      add(*kind, namespace_name, selector, jobs_);
    add(*api::find_kind("v1", "Pod"), namespace_name, "", pods_);
  }

  /// Waits for the next change. Changes that arrive together are handled as one.
  void wait_for_change(const job::Interrupt& interrupt) {
    const int wake[] = {interrupt.fd()};
    while (!changed_ || waiting_for_ > 0) {
      client_.transport().wait(std::chrono::seconds(10), wake);
      interrupt.check();
      if (failure_) throw *failure_;
    }
    changed_ = false;
  }

  std::vector<Json> jobs() const { return values(jobs_); }
  job::PodsByJob pods() const { return job::PodsByJob(values(pods_)); }

 private:
  using Objects = std::map<std::string, Json>;

  void add(const api::ResourceKind& kind, const std::string& namespace_name, const std::string& selector,
           Objects& objects) {
    kube::WatchHandler handler;
    handler.on_change = [this, &objects](kube::Change change, const Json& object) {
      if (job::is_part_of_job(object) && job::is_job(object)) return;
      std::string uid = api::uid_of(object);
      if (change == kube::Change::deleted)
        objects.erase(uid);
      else
        objects[uid] = object;
      changed_ = true;
    };
    handler.on_retry = note_end_of_server_;
    auto synced = std::make_shared<bool>(false);
    handler.on_synced = [this, synced] {
      *synced = changed_ = true;
      --waiting_for_;
    };
    handler.on_failure = [this, synced, &kind, namespace_name](const Error& error) {
      if (!kind.group.empty() && job::take_absence(client_, kind, namespace_name, error)) {
        if (!*synced) --waiting_for_;
      } else {
        failure_ = error;
      }
    };
    ++waiting_for_;
    watches_.push_back(kube::watch(client_, kind, namespace_name, {selector, ""}, handler));
  }

  static std::vector<Json> values(const Objects& objects) {
    std::vector<Json> all;
    for (const auto& [uid, object] : objects) all.push_back(object);
    return all;
  }

  kube::Client& client_;
  const kube::OnRetry note_end_of_server_;
  Objects jobs_, pods_;
  int waiting_for_ = 0;
  bool changed_ = false;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

}  // namespace

int run_listing(Context& context, const ListingOptions& options,
                const std::function<void(const std::vector<Json>& jobs, const job::PodsByJob& pods)>& print) {
  const std::string namespace_name = context.list_namespace(options.all_namespaces);
  kube::Client& client = context.client();
  if (!options.watch) {
    if (ui::is_data(options.output)) {  // prints whole objects
      print(job::list_jobs(client, namespace_name, options.filter.selector),
            options.filter.needs_views() ? job::list_pods(client, namespace_name) : job::PodsByJob());
    } else {
      const job::Listing& listing =
          kept_to_the_end(job::list_for_table(client, namespace_name, options.filter.selector));
      print(listing.jobs, listing.pods);
    }
    return 0;
  }
  job::Interrupt interrupt;
  LiveView view(context, namespace_name, options.filter.selector);
  context.keep_server_down();
  Streams& streams = context.streams();
  for (;;) {
    try {
      view.wait_for_change(interrupt);
    } catch (const Error& error) {
      if (error.code != ErrorCode::interrupted) throw;
      return static_cast<int>(error.code);  // the user interrupted kml, so no message is needed
    }
    // On a terminal, the new table replaces the old one.
    if (streams.out_is_terminal) streams.out << AsItIs{"\x1B[H\x1B[2J"};
    print(view.jobs(), view.pods());
    streams.out << std::flush;
  }
}

}  // namespace kml::cli
