#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "kml/base/text.h"
#include "kml/ui/table.h"
#include "pod/tables/hang_report.h"

namespace kml::ui {

namespace {

using pod::HangState;
using pod::RankLook;

constexpr size_t kShownRanks = 8, kShownThreads = 8, kShownFrames = 4;

std::string line_of(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "STUCK 14m".
std::string heading(const pod::HangVerdict& verdict) {
  std::string text = upper(pod::name_of(verdict.state));
  if (verdict.still_for && verdict.state != HangState::moves)
    text += " " + short_duration(*verdict.still_for);
  return text;
}

Style style_of_state(HangState state) {
  return state == HangState::stuck ? Style::red : state == HangState::quiet ? Style::yellow : Style::green;
}

/// A rank in one line: "rank 7  bert-7 on node4  GPU 0%  step 812  waits for input: …".
std::string rank_text(const RankLook& rank, const std::string& doing) {
  std::string text = (rank.rank ? "rank " : "") + rank.name() + "  " + rank.pod;
  if (!rank.node.empty()) text += " on " + rank.node;
  if (rank.restarts > 0)
    text += fmt::format("  {} {}", rank.restarts, rank.restarts == 1 ? "restart" : "restarts");
  if (rank.gpu_use) text += fmt::format("  GPU {}%", *rank.gpu_use);
  if (const auto step = rank.log.step_later ? rank.log.step_later : rank.log.step)
    text += fmt::format("  step {:g}", *step);
  return text + "  " + line_of(doing);
}

std::string text_of(const pod::Frame& frame) {
  return frame.function + " (" + frame.place() + ")";
}

/// Whether the frame belongs to the start of a Python thread.
bool is_start(const pod::Frame& frame) {
  return frame.file.ends_with("threading.py") &&
         (contains(frame.function, "_bootstrap") || frame.function.ends_with("run"));
}

/// The innermost frames: "train (t.py:3) < main (t.py:9)".
std::string text_of(const std::vector<pod::Frame>& frames) {
  std::vector<std::string> parts;
  for (const pod::Frame& frame : frames)
    if (!is_start(frame)) parts.push_back(text_of(frame));
  const bool is_cut = parts.size() > kShownFrames;
  parts.resize(std::min(parts.size(), kShownFrames));
  return join(parts, " < ") + (is_cut ? " < …" : "");
}

/// Prints the main thread and the threads that work or wait for a lock, then how many others there are.
void print_threads(const Streams& streams, const RankLook& rank) {
  for (const pod::Stack& stack : rank.stacks) {
    size_t shown = 0, further = 0, idle = 0;
    if (rank.stacks.size() > 1) streams.out << "    process " << stack.pid << "\n";
    for (const pod::Thread& thread : stack.threads) {
      const bool is_of_interest = thread.is_main || !thread.is_idle || !thread.waits.name.empty();
      if (!is_of_interest || shown == kShownThreads) {
        ++(is_of_interest ? further : idle);
        continue;
      }
      ++shown;
      const std::string name = thread.is_main ? "main thread" : thread.name.empty() ? "thread" : thread.name;
      streams.out << "    " << line_of(name + ": " + text_of(thread.frames)) << "\n";
    }
    if (further > 0) streams.out << "    and " << further << " more that work or wait\n";
    if (idle > 0) streams.out << "    and " << idle << (idle == 1 ? " idle thread\n" : " idle threads\n");
  }
}

Json to_json(const pod::Frame& frame) {
  return {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
}

Json to_json(const pod::Stack& stack) {
  Json threads = Json::array();
  for (const pod::Thread& thread : stack.threads) {
    Json frames = Json::array();
    for (const pod::Frame& frame : thread.frames) frames.push_back(to_json(frame));
    threads.push_back({{"main", thread.is_main}, {"idle", thread.is_idle}, {"frames", std::move(frames)}});
    set_said(threads.back(), {{"name", thread.name}, {"waitsFor", thread.waits.name}});
  }
  return {{"pid", stack.pid}, {"threads", std::move(threads)}};
}

void print_named(const Streams& streams, std::string_view name, const std::string& text,
                 Style style = Style::plain) {
  streams.out << "  " << styled(name, Style::bold, streams.colours)
              << std::string(name.size() < 7 ? 8 - name.size() : 1, ' ')
              << styled(line_of(text), style, streams.colours) << "\n";
}

/// The ranks that hold up the job. If none is known, all ranks, unless the job makes progress.
std::vector<size_t> shown_ranks(const pod::JobLook& look, const pod::HangVerdict& verdict) {
  std::vector<size_t> ranks = verdict.ranks;
  if (ranks.empty() && verdict.state != HangState::moves)
    for (size_t i = 0; i < look.ranks.size(); ++i) ranks.push_back(i);
  return ranks;
}

Json to_json(const RankLook& rank, const std::string& doing) {
  Json object = {{"pod", rank.pod},           {"node", rank.node}, {"running", rank.runs},
                 {"restarts", rank.restarts}, {"doing", doing},    {"lastLine", rank.log.last_line}};
  if (rank.rank) object["rank"] = *rank.rank;
  if (rank.log.last_at) object["lastLineAt"] = rfc3339_nano(*rank.log.last_at);
  if (const auto step = rank.log.step_later ? rank.log.step_later : rank.log.step) object["step"] = *step;
  if (rank.gpu_use) object["gpuPercent"] = *rank.gpu_use;
  for (const pod::Stack& stack : rank.stacks) object["stacks"].push_back(to_json(stack));
  return object;
}

}  // namespace

void print_hang(const Streams& streams, const pod::JobLook& look, const pod::HangVerdict& verdict) {
  streams.out << styled(heading(verdict), style_of_state(verdict.state), streams.colours) << "  "
              << line_of(verdict.summary) << "\n";
  const std::vector<size_t> ranks = shown_ranks(look, verdict);
  for (size_t i = 0; i < std::min(kShownRanks, ranks.size()); ++i) {
    streams.out << "  " << rank_text(look.ranks[ranks[i]], verdict.doing[ranks[i]]) << "\n";
    print_threads(streams, look.ranks[ranks[i]]);
  }
  if (ranks.size() > kShownRanks) streams.out << "  and " << ranks.size() - kShownRanks << " more\n";
  std::string cause =
      verdict.cause_text.empty() ? std::string(pod::name_of(verdict.cause)) : verdict.cause_text;
  const std::string how = join(verdict.sources, " + ") + (verdict.sources.empty() ? "" : "; ");
  if (verdict.cause != pod::HangCause::none)
    print_named(streams, "cause:",
                fmt::format("{}   ({}{} confidence)", cause, how, pod::name_of(verdict.confidence)));
  if (!verdict.next.empty()) print_named(streams, "next:", join(verdict.next, "; "), Style::cyan);
  for (const std::string& what : look.unseen) print_named(streams, "not seen:", what);
}

Json to_json(const pod::JobLook& look, const pod::HangVerdict& verdict) {
  Json culprits = Json::array(), ranks = Json::array();
  for (const size_t place : verdict.ranks) culprits.push_back(look.ranks[place].name());
  for (size_t i = 0; i < look.ranks.size(); ++i) ranks.push_back(to_json(look.ranks[i], verdict.doing[i]));
  Json object = {{"job", look.job},
                 {"verdict", pod::name_of(verdict.state)},
                 {"cause", pod::name_of(verdict.cause)},
                 {"confidence", pod::name_of(verdict.confidence)},
                 {"summary", verdict.summary},
                 {"culprits", std::move(culprits)},
                 {"sources", verdict.sources},
                 {"next", verdict.next},
                 {"unseen", look.unseen},
                 {"ranks", std::move(ranks)}};
  if (verdict.still_for)
    object["silentSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(*verdict.still_for).count();
  return object;
}

}  // namespace kml::ui
