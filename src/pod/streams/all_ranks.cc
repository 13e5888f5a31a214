#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/ready_files.h"
#include "kml/base/signals.h"
#include "pod/streams/ending.h"
#include "pod/streams/remote_run.h"
#include "pod/streams/session.h"

namespace kml::pod {

namespace {

constexpr std::chrono::seconds kLongestWaitForAll{10};
constexpr size_t kMostUnwrittenOfAll = size_t{256} << 10;
/// A longer line is written in parts, because it might never end.
constexpr size_t kLongestRankLine = size_t{64} << 10;

/// Splits a rank's output into lines, and puts the rank's name before each line.
class PrefixedLines {
 public:
  PrefixedLines(std::string prefix, PatientWriter& writer) : prefix_(std::move(prefix)), writer_(writer) {}

  void take(std::string_view bytes) {
    rest_ += bytes;
    size_t begin = 0;
    std::string lines;
    for (size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
      lines.append(prefix_).append(rest_, begin, end + 1 - begin);
    rest_.erase(0, begin);
    writer_.write(lines);
    if (rest_.size() > kLongestRankLine) finish();
  }
  void finish() {
    if (!rest_.empty()) writer_.write(prefix_ + std::exchange(rest_, {}) + "\n");
  }

 private:
  std::string prefix_;
  PatientWriter& writer_;
  std::string rest_;
};

class AllRanks {
 public:
  AllRanks(kube::Client& client, const std::vector<RunningRank>& ranks, Ending::Note note)
      : client_(client), ranks_(ranks), note_(std::move(note)), ending_(client, note_) {}

  int run(const std::vector<std::string>& command);

 private:
  struct One {
    One(const std::string& prefix, PatientWriter& out_writer, PatientWriter& err_writer)
        : out(prefix, out_writer), err(prefix, err_writer) {}
    PrefixedLines out, err;
    std::unique_ptr<RemoteRun> run;
    std::optional<RemoteEnd> failure;  ///< the result if the command could not even be requested
    bool is_finished = false;
  };

  void start(const std::vector<std::string>& command);
  void wait_once();
  void end_by(int signal);
  bool all_ended();
  int worst();

  kube::Client& client_;
  const std::vector<RunningRank>& ranks_;
  Ending::Note note_;
  Signals signals_{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  ReadyFiles ready_;
  PatientWriter out_{STDOUT_FILENO}, err_{STDERR_FILENO};
  std::deque<One> all_;
  Ending ending_;
};

void AllRanks::start(const std::vector<std::string>& command) {
  size_t width = 0;
  for (const RunningRank& rank : ranks_) width = std::max(width, rank.label.size());
  for (const RunningRank& rank : ranks_) {
    One& one =
        all_.emplace_back(rank.label + std::string(width - rank.label.size(), ' ') + " | ", out_, err_);
    try {
      one.run = std::make_unique<RemoteRun>(
          client_,
          kube::RemoteCommand{.namespace_name = rank.namespace_name,
                              .pod = rank.pod,
                              .container = rank.container,
                              .command = command},
          RemoteRun::Handler{.on_output = [&one](bool is_error, std::string_view bytes) {
            (is_error ? one.err : one.out).take(bytes);
          }});
    } catch (const Error& error) {
      one.failure = RemoteEnd{0, error};
    }
  }
}

bool AllRanks::all_ended() {
  bool all = true;
  for (One& one : all_) {
    const bool has_ended = one.failure || one.run->end();
    if (has_ended && !std::exchange(one.is_finished, true)) one.out.finish(), one.err.finish();
    all &= has_ended;
  }
  return all;
}

void AllRanks::wait_once() {
  const bool is_full = out_.pending() + err_.pending() > kMostUnwrittenOfAll;
  for (One& one : all_)
    if (one.run) one.run->pause(is_full);
  ready_.want(out_.fd(), false, out_.pending() > 0);
  ready_.want(err_.fd(), false, err_.pending() > 0);
  const int wake[] = {ready_.fd(), signals_.fd()};
  client_.transport().wait(kLongestWaitForAll, wake);
  out_.flush();
  err_.flush();
  while (const std::optional<int> signal = signals_.next())
    if (*signal != SIGPIPE) end_by(*signal);
  if (out_.is_closed() && ending_.signal() == 0) end_by(SIGPIPE);
}

void AllRanks::end_by(int signal) {
  std::vector<RemoteRun*> runs;
  std::vector<std::string> names;
  for (size_t i = 0; i < all_.size(); ++i)
    if (all_[i].run) {
      runs.push_back(all_[i].run.get());
      names.push_back(ranks_[i].name());
    }
  ending_.begin(signal, runs, names);
}

int AllRanks::worst() {
  int worst = 0;
  for (size_t i = 0; i < all_.size(); ++i) {
    const std::optional<RemoteEnd>& end = all_[i].failure ? all_[i].failure : all_[i].run->end();
    if (end && end->error) note_(ranks_[i].name() + ": " + message_and_why(*end->error));
    if (end) worst = std::max(worst, end->error ? 1 : end->exit_code);
  }
  return worst;
}

int AllRanks::run(const std::vector<std::string>& command) {
  start(command);
  while ((!all_ended() || out_.pending() + err_.pending() > 0) && !ending_.is_over()) wait_once();
  const int code = worst();
  return ending_.signal() != 0 ? 128 + ending_.signal() : code;
}

}  // namespace

int run_in_all(kube::Client& client, const std::vector<RunningRank>& ranks,
               const std::vector<std::string>& command, const std::function<void(const std::string&)>& note) {
  return AllRanks(client, ranks, note).run(command);
}

}  // namespace kml::pod
