#include "pod/streams/ending.h"

#include <csignal>

#include "kml/base/text.h"

namespace kml::pod {

namespace {

constexpr std::chrono::milliseconds kUntilKilled{5000};
/// How long kml waits for the end of a command that it has killed.
constexpr std::chrono::milliseconds kUntilGivenUp{10000};

std::string name_of_signal(int signal) {
  switch (signal) {
    case SIGINT: return "INT";
    case SIGQUIT: return "QUIT";
    case SIGHUP: return "HUP";
    default: return "TERM";
  }
}

}  // namespace

void Ending::begin(int signal, const std::vector<RemoteRun*>& runs, const std::vector<std::string>& names) {
  const bool is_first = signal_ == 0;
  if (is_first) signal_ = signal, runs_ = runs, names_ = names;
  tell(is_first ? name_of_signal(signal) : "KILL");
  if (is_over_) return;
  next_ = client_.transport().after(is_first ? kUntilKilled : kUntilGivenUp, [this, is_first] {
    if (is_first) return begin(signal_, runs_, names_);
    note_("no answer from " + some_of(names_) + ": the command may still be running there");
    is_over_ = true;
  });
}

void Ending::tell(const std::string& signal_name) {
  std::vector<std::string> unreachable;
  bool reaches_one = false;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i]->end()) continue;
    try {
      if (runs_[i]->send_signal(signal_name)) {
        reaches_one = true;
        continue;
      }
    } catch (const Error&) {  // without a connection, the note below tells the user
    }
    unreachable.push_back(names_[i]);
  }
  if (!unreachable.empty())
    note_("the command in " + some_of(unreachable) +
          " cannot be stopped from here, and may still be running");
  is_over_ = !reaches_one;
}

}  // namespace kml::pod
