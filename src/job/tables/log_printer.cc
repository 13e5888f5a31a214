#include "job/tables/log_printer.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

#include "job/logs/rank_prefix.h"
#include "job/tables/live_log.h"
#include "kml/base/files.h"
#include "kml/base/frames.h"
#include "kml/base/json.h"
#include "kml/job/logs/log_lines.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// The start of a line's JSON object, which is the same for all lines of a source: {"namespace":…,"pod":…
std::string json_of(const job::LogSource& source) {
  Json object = {{"namespace", source.namespace_name},
                 {"pod", source.pod},
                 {"container", source.container},
                 {"restart", source.restart}};
  set_said(object, {{"job", source.job},
                    {"node", source.node},
                    {"rank", or_null(source.rank)},
                    {"attempt", source.rank ? Json(source.attempt) : Json()}});
  std::string text = json_text(object);
  text.pop_back();
  return text;
}

/// Appends the rest of the object: the time if the node sent one, the text, and "begins" or "ends" as false
/// if it is only a piece of a long line.
void append_json(const job::LogLine& line, std::string& out) {
  if (!line.stamp.empty()) out.append(",\"time\":\"").append(line.stamp) += '"';
  if (!line.begins) out += ",\"begins\":false";
  if (!line.ends) out += ",\"ends\":false";
  out += ",\"text\":";
  out += json_text(line.text);
  out += "}\n";
}

constexpr size_t kBuffer = size_t{64} << 10;
constexpr std::string_view kInverse = "\x1B[7m", kUpright = "\x1B[27m", kReset = "\x1B[0m";

Style colour_of(std::string_view source) {
  constexpr std::array kColours = {Style::cyan, Style::green, Style::magenta, Style::yellow, Style::blue};
  uint32_t hash = 2166136261;  // FNV-1a
  for (char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return kColours[hash % kColours.size()];
}

}  // namespace

LogPrinter::LogPrinter(const Streams& streams, const Options& options)
    : streams_(streams), options_(options), highlight_(options.highlight.begin(), options.highlight.end()) {
  const bool is_live = options.live && streams.out_is_terminal && options.format == Format::text;
  if (is_live && environment("TERM") != "dumb") live_ = new_live();
}

std::unique_ptr<LogPrinter::Live> LogPrinter::new_live() {
  LiveLog::Formats formats;
  formats.line = [this](const FinishedLine& line) {
    out_.clear();
    begin({line.source, {}, line.stamp, {}});
    return out_ + line.text;
  };
  formats.shown = [this](const job::LogLine& line) {
    out_.clear();
    append_for_terminal(line, true);
    return out_;
  };
  return std::make_unique<LiveLog>(streams_, std::move(formats));
}

std::string LogPrinter::new_prefix(const job::LogSource& source) const {
  if (options_.format == Format::json) return json_of(source);
  // Lines of sidecars and init containers always have a prefix, which distinguishes them from the program's
  // lines.
  const bool is_shown = options_.format == Format::text && (options_.with_source || !source.is_main);
  if (!is_shown) return {};
  std::string name = (options_.with_job ? source.job + " " : "") + source.label;
  // If the pods have no common job, a pod's index is meaningless.
  if (source.job.empty())
    name = source.pod + source.label.substr(std::min(source.label.find('/'), source.label.size()));
  return styled(name, colour_of(name), streams_.colours) + " | ";
}

const std::string& LogPrinter::prefix_of(const job::LogSource& source) {
  if (last_source_ == &source) return *last_prefix_;
  last_source_ = &source;
  auto [found, is_new] = prefixes_.try_emplace(&source);
  last_prefix_ = &found->second;
  if (is_new) found->second = new_prefix(source);
  return found->second;
}

void LogPrinter::begin(const job::LogLine& line) {
  out_ += prefix_of(*line.source);
  if (options_.with_time) out_.append(line.stamp) += ' ';
}

void LogPrinter::append_highlighted(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\x1B') {  // a color sequence must not be cut in two
      const size_t end = text.find('m', at) + 1;
      out_.append(text, at, end - at);
      at = end;
      continue;
    }
    const std::string_view part = text.substr(0, text.find('\x1B', at));
    std::optional<Pattern::Span> next;
    for (const Pattern& pattern : highlight_)
      if (const auto found = pattern.find(part, at);
          found && found->end > found->begin && (!next || found->begin < next->begin))
        next = found;
    const size_t begin = next ? next->begin : part.size();
    out_.append(part, at, begin - at);
    at = begin;
    if (!next) continue;
    out_.append(kInverse).append(part, at, next->end - at).append(kUpright);
    at = next->end;
  }
}

void LogPrinter::append_for_terminal(const job::LogLine& line, bool begins) {
  std::string_view text = line.text;
  if (begins) cleaner_ = {};
  if (begins && streams_.colours)
    if (const auto prefix = job::rank_prefix(text)) {
      const std::string_view shown = text.substr(0, prefix->length);
      out_ += styled(shown, colour_of(line.source->label + std::string(shown)), true);
      text.remove_prefix(prefix->length);
    }
  cleaned_.clear();
  cleaner_.add(text, cleaned_);
  if (line.ends) cleaner_.end(cleaned_);
  if (highlight_.empty() || !streams_.colours)
    out_ += cleaned_;
  else
    append_highlighted(cleaned_);
  // A color that is still on would affect the next line, too, which may come from a different source.
  if (cleaned_.find('\x1B') != std::string::npos && !cleaned_.ends_with(kReset)) out_ += kReset;
}

void LogPrinter::print(const job::LogLine& line) {
  if (options_.format == Format::json) {
    out_ += prefix_of(*line.source);
    append_json(line, out_);
    return;
  }
  const bool begins = line.begins || unfinished_ != line.source;
  if (unfinished_ && begins) out_ += '\n';
  if (begins) begin(line);
  if (streams_.out_is_terminal && options_.format == Format::text)
    append_for_terminal(line, begins);
  else
    out_ += line.text;
  if (line.ends) out_ += '\n';
  unfinished_ = line.ends ? nullptr : line.source;
}

void LogPrinter::print(std::span<const job::LogLine> lines) {
  for (const job::LogLine& line : lines) {
    if (line.text.starts_with(kFrameMark)) continue;  // a line that kml-step wrote for kml
    if (live_) {
      live_->print(line);
      continue;
    }
    print(line);
    if (out_.size() < kBuffer) continue;
    write();
  }
}

void LogPrinter::write() {
  if (options_.format == Format::raw)
    streams_.out << AsItIs{out_};
  else
    streams_.out << out_;
  out_.clear();
}

void LogPrinter::show_unfinished(const job::LogLine& line) {
  if (live_) live_->show_unfinished(line);
}

bool LogPrinter::pause() {
  if (live_) return live_->pause();
  flush();
  return false;
}

void LogPrinter::hide() {
  if (live_)
    live_->hide();
  else
    flush();
}

void LogPrinter::end_source(const job::LogSource& source) {
  if (live_) live_->end_source(source);
}

void LogPrinter::finish() {
  if (live_) live_->finish();
  flush();
}

void LogPrinter::flush() {
  if (live_) return live_->show();
  write();
  streams_.out << std::flush;
}

}  // namespace kml::ui
