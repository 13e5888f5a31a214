#include "live/model/model.h"

#include <algorithm>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::live {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// How much of a feed is read at a time: some hundred rows, which take a few milliseconds.
constexpr size_t kPiece = size_t{128} << 10;
constexpr size_t kLongestLine = size_t{16} << 20, kMostErrors = 4096;
constexpr seconds kShortestPause{1}, kLongestPause{30};
/// A feed that has run for at least this long is started again after the shortest pause if it ends.
constexpr seconds kLongRun{60};

/// The last lines that kml printed before it ended: "cannot connect to https://…".
std::string last_words(std::string_view errors) {
  static constexpr std::string_view kMark = "kml: error: ";
  const size_t at = errors.rfind(kMark);
  if (at != std::string_view::npos) errors.remove_prefix(at + kMark.size());
  std::string words;
  for (const std::string& line : split(errors, '\n'))
    if (const std::string_view text = trim(line); !text.empty()) {
      if (!words.empty()) words += "; ";
      words += text;
    }
  return words;
}

}  // namespace

struct Model::Feed {
  Source source;
  std::unique_ptr<PolledProcess> process;  ///< null until the next start
  steady_clock::time_point begun{}, next_start{};
  seconds pause = kShortestPause;
  std::string out, errors;
  bool is_lost = false;   ///< whether the feed's process has ended, and no new process has sent its rows yet
  bool has_more = false;  ///< whether complete lines are left in `out`, or bytes in the pipe
};

Model::Model(std::vector<Source> sources)
    : tables_([&] {
        std::vector<std::string> names;
        for (const Source& source : sources) names.push_back(source.cluster);
        return names;
      }()) {
  for (Source& source : sources) {
    feeds_.push_back(std::make_unique<Feed>());
    feeds_.back()->source = std::move(source);
    tables_.set_namespace(feeds_.back()->source.cluster, feeds_.back()->source.namespace_name);
    start(*feeds_.back());
  }
}

Model::~Model() = default;

std::vector<int> Model::fds() const {
  std::vector<int> fds;
  for (const auto& feed : feeds_)
    if (feed->process)
      for (const int fd : {feed->process->out(), feed->process->errors()})
        if (fd >= 0) fds.push_back(fd);
  return fds;
}

milliseconds Model::longest_wait() const {
  milliseconds wait = seconds(60);
  for (const auto& feed : feeds_) {
    // A process that has closed its output has ended, or is about to.
    if (feed->process && feed->process->out() < 0) wait = std::min(wait, milliseconds(50));
    if (!feed->process)
      wait = std::min(wait, std::chrono::ceil<milliseconds>(feed->next_start - steady_clock::now()));
  }
  return std::max(wait, milliseconds(0));
}

bool Model::has_more() const {
  return std::ranges::any_of(feeds_, [](const auto& feed) { return feed->has_more; });
}

std::vector<Change> Model::update() {
  std::vector<Change> changes;
  for (const auto& feed : feeds_) {
    if (!feed->process && steady_clock::now() >= feed->next_start) start(*feed);
    if (feed->process) read(*feed, changes);
  }
  return changes;
}

void Model::start(Feed& feed) {
  feed.out.clear();
  feed.errors.clear();
  feed.begun = steady_clock::now();
  feed.process = std::make_unique<PolledProcess>(feed.source.argv);
  tables_.begin_session(feed.source.cluster);
}

void Model::read(Feed& feed, std::vector<Change>& changes) {
  // Checked before the read, so that the read gets all output of an ended process.
  const bool has_ended = feed.process->look_for_end();
  if (feed.out.find('\n') == std::string::npos) feed.process->read_some(feed.out, feed.errors, kPiece);
  if (feed.errors.size() > kMostErrors) feed.errors.erase(0, feed.errors.size() - kMostErrors);
  take(feed, changes);
  if (has_ended && !feed.has_more && feed.process->out() < 0) lose(feed, changes);
}

/// Processes complete lines.
void Model::take(Feed& feed, std::vector<Change>& changes) {
  size_t begin = 0;
  for (size_t end = 0; begin < kPiece && (end = feed.out.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string_view line = std::string_view(feed.out).substr(begin, end - begin);
    if (line.empty()) continue;
    try {
      Change change = change_of_line(line);
      change.cluster = feed.source.cluster;
      take(feed, std::move(change), changes);
    } catch (const Error& error) {
      take(feed, {.kind = Change::Kind::note, .cluster = feed.source.cluster, .text = error.message},
           changes);
    }
  }
  feed.out.erase(0, begin);
  if (feed.out.size() > kLongestLine) feed.out.clear();
  feed.has_more = begin >= kPiece || feed.out.find('\n') != std::string::npos;
}

void Model::take(Feed& feed, Change change, std::vector<Change>& changes) {
  const Time now = system_clock().now();
  // A new feed process does not report that it replaces one that has ended, so this function does.
  if (change.kind == Change::Kind::synced && std::exchange(feed.is_lost, false))
    take(feed, {.kind = Change::Kind::back, .cluster = feed.source.cluster}, changes);
  std::vector<Change> drops = tables_.apply(change, now);
  changes.push_back(std::move(change));
  std::ranges::move(drops, std::back_inserter(changes));
}

void Model::lose(Feed& feed, std::vector<Change>& changes) {
  const auto now = steady_clock::now();
  if (now - feed.begun >= kLongRun) feed.pause = kShortestPause;
  feed.next_start = now + feed.pause;
  feed.pause = std::min(feed.pause * 2, kLongestPause);
  std::string why = last_words(feed.errors);
  if (why.empty()) why = "kml ended with code " + std::to_string(feed.process->exit_code());
  feed.process.reset();
  feed.is_lost = true;
  take(feed, {.kind = Change::Kind::lost, .cluster = feed.source.cluster, .text = std::move(why)}, changes);
}

}  // namespace kml::live
