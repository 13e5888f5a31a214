#include "live/commands/feed.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "job/queue/queue_watch.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/base/unused_memory.h"
#include "kml/job/views/interrupt.h"
#include "live/commands/cluster_rows.h"
#include "live/commands/pulse.h"
#include "live/commands/record_rows.h"
#include "live/commands/row_writer.h"
#include "live/commands/service_rows.h"

namespace kml::cli {

namespace {

using live::Change;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Changes that arrive within this time are printed together.
constexpr milliseconds kBeat{100};
/// How often kml checks files for changes.
constexpr milliseconds kFiles{100};
/// How often kml checks whether any program still reads its output.
constexpr milliseconds kReader{500};
constexpr seconds kUnusedMemory{60};
constexpr seconds kJournalsThere{10}, kShortestPause{1}, kLongestPause{15};

/// Whether the other end of the pipe is closed.
bool is_unread() {
  pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

class Every {
 public:
  explicit Every(milliseconds time) : time_(time) {}
  /// Whether `time_` has passed since the last call that returned true.
  bool take_due() {
    const auto now = steady_clock::now();
    if (last_ && now - *last_ < time_) return false;
    last_ = now;
    return true;
  }

 private:
  const milliseconds time_;
  std::optional<steady_clock::time_point> last_;
};

/// Prints each line as a note, even while a request waits for its answer.
class Notes : public std::stringbuf {
 public:
  explicit Notes(RowWriter& rows) : rows_(rows) {}

 protected:
  int sync() override {
    for (const std::string& line : split(str(), '\n'))
      if (!line.empty()) rows_.say(Change::Kind::note, line.starts_with("kml: ") ? line.substr(5) : line);
    str("");
    rows_.flush();
    return 0;
  }

 private:
  RowWriter& rows_;
};

/// A context whose notes become notes of the feed.
class QuietContext {
 public:
  QuietContext(const GlobalOptions& options, RowWriter& rows)
      : notes_(rows), err_(&notes_), context_(options, {none_, err_}) {}
  Context& get() { return context_; }

 private:
  std::ostringstream none_;
  Notes notes_;
  std::ostream err_;
  Context context_;
};

class Feed {
 public:
  explicit Feed(Context& context)
      : options_(pinned_options(context)),
        rows_(context.streams().out, context.place().context),
        watching_(options_, rows_),
        asking_(options_, rows_),
        cluster_(rows_),
        records_(asking_.get(), rows_, cluster_.outcomes()) {}

  void run() {
    for (seconds pause = kShortestPause;; pause = std::min(pause * 2, kLongestPause)) {
      try {
        watch([&] { pause = kShortestPause; });
        return;
      } catch (const Error& error) {
        if (error.code == ErrorCode::interrupted) throw;
        if (is_unread()) return;
        records_.show_open_runs();
        rows_.say(Change::Kind::lost, message_and_why(error));
        rows_.flush();
      }
      if (!wait_for_retry(pause)) return;
    }
  }

 private:
  /// Throws Error if a watch has ended. Returns once no program reads the feed.
  void watch(const std::function<void()>& on_synced) {
    const std::string& place = watching_.get().place().namespace_name;
    update_files();
    rows_.flush();
    job::QueueWatch queue(watching_.get().client(), place, job::QueueForm::packed);
    std::optional<ServiceRows> services;
    Pulse pulse(watching_.get().client().transport());
    cluster_.begin();
    for (bool is_first = true; !is_unread(); is_first = false) {
      const bool changed = queue.wait(interrupt_, is_first ? seconds(60) : milliseconds(kFiles));
      if (changed) cluster_.update(queue.state());
      if (is_first) {
        cluster_.end();
        records_.show_open_runs();
        rows_.flush();
        services.emplace(watching_.get().client(), queue.state().only_namespace, asking_.get(), rows_);
        services->wait_for_lists(interrupt_);
        rows_.say(Change::Kind::back);
        tell_unseen(queue.state());
        on_synced();
      }
      pulse.beat();
      const std::string trouble = queue.trouble().empty() ? pulse.trouble() : queue.trouble();
      rows_.say(trouble.empty() ? Change::Kind::back : Change::Kind::lost, trouble);
      if (changed) cluster_.nodes_changed();
      update_slowly(queue.state(), *services, trouble.empty());
      if (is_first) rows_.say(Change::Kind::synced);
      rows_.flush();
      may_waste_ = may_waste_ || changed;
      if (may_waste_ && (is_first || unused_memory_.take_due())) {
        return_unused_memory();
        may_waste_ = false;
      }
      if (changed) interrupt_.pause(kBeat);
    }
  }

  void update_slowly(job::QueueState& state, ServiceRows& services, bool is_answering) {
    cluster_.update_nodes(state);
    update_files();
    if (!is_answering) return;
    try {
      services.update(cluster_.of_schedules(), cluster_.take_schedules_changed());
      if (journals_there_.take_due()) records_.update_cluster();
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted) throw;
      rows_.say(Change::Kind::note, message_and_why(error));
    }
  }

  void update_files() {
    try {
      records_.update_files();
    } catch (const Error& error) {
      rows_.say(Change::Kind::note, message_and_why(error));
    }
  }

  void tell_unseen(const job::QueueState& state) {
    if (!state.only_namespace.empty())
      rows_.say(Change::Kind::note, "you may not list pods in all namespaces: only namespace " +
                                        state.only_namespace + " is shown");
    else if (!state.unseen.empty())
      rows_.say(Change::Kind::note, "you may not list " + join(state.unseen, ", "));
  }

  /// Returns false once no program reads the feed. Throws Error (interrupted) after a signal.
  bool wait_for_retry(seconds pause) {
    for (const auto end = steady_clock::now() + pause; steady_clock::now() < end;) {
      interrupt_.pause(kFiles);
      update_files();
      rows_.flush();
      if (is_unread()) return false;
    }
    return true;
  }

  const GlobalOptions options_;
  const job::Interrupt interrupt_;
  RowWriter rows_;
  QuietContext watching_, asking_;
  ClusterRows cluster_;
  RecordRows records_;
  Every journals_there_{kJournalsThere}, unused_memory_{kUnusedMemory};
  bool may_waste_ = false;  ///< whether objects were parsed since return_unused_memory()
};

}  // namespace

GlobalOptions pinned_options(Context& context) {
  GlobalOptions options = context.options();
  const Place& place = context.place();
  if (options.context.empty() && context.config().find("context")) options.context = place.context;
  if (options.namespace_name.empty() && context.config().find("namespace"))
    options.namespace_name = place.namespace_name;
  return options;
}

int run_feed(Context& context) {
  try {
    Feed(context).run();
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    return static_cast<int>(error.code);
  }
  return 0;
}

int run_feeds(Context& context, std::vector<live::Source> sources) {
  const job::Interrupt interrupt;
  live::Model model(std::move(sources));
  while (!is_unread()) {
    std::vector<pollfd> all = {{.fd = interrupt.fd(), .events = POLLIN, .revents = 0}};
    for (const int fd : model.fds()) all.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    const milliseconds limit = model.has_more() ? milliseconds(0) : std::min(model.longest_wait(), kReader);
    ::poll(all.data(), all.size(), static_cast<int>(limit.count()));
    if (all[0].revents != 0) return static_cast<int>(ErrorCode::interrupted);
    for (const Change& change : model.update()) context.streams().out << live::line_of(change) << "\n";
    context.streams().out << std::flush;
  }
  return 0;
}

}  // namespace kml::cli
