#include "kml/ui/log_printer.h"

#include <array>
#include <ostream>

#include "kml/ui/clean.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

constexpr size_t kBuffer = size_t{64} << 10;

Style colour_of(std::string_view source) {
  constexpr std::array kColours = {Style::cyan, Style::green, Style::magenta, Style::yellow, Style::blue};
  uint32_t hash = 2166136261;  // FNV-1a
  for (char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return kColours[hash % kColours.size()];
}

}  // namespace

const std::string& LogPrinter::prefix_of(const jobs::LogSource& source) {
  if (last_source_ == &source) return *last_prefix_;
  last_source_ = &source;
  auto [found, is_new] = prefixes_.try_emplace(&source);
  last_prefix_ = &found->second;
  // A sidecar's or an init container's lines are never taken for the program's own.
  if (is_new && (options_.with_source || !source.is_main)) {
    const std::string name = (options_.with_job ? source.job + " " : "") + source.label;
    found->second = styled(name, colour_of(name), streams_.colours) + " | ";
  }
  return found->second;
}

void LogPrinter::begin(const jobs::LogLine& line) {
  out_ += prefix_of(*line.source);
  if (options_.with_time) out_.append(line.stamp) += ' ';
}

void LogPrinter::print(std::span<const jobs::LogLine> lines) {
  for (const jobs::LogLine& line : lines) {
    if (unfinished_ && (line.begins || unfinished_ != line.source)) out_ += '\n';
    if (line.begins || unfinished_ != line.source) begin(line);
    if (streams_.out_is_terminal)
      out_ += clean(jobs::after_carriage_returns(line.text));
    else
      out_ += line.text;
    if (line.ends) out_ += '\n';
    unfinished_ = line.ends ? nullptr : line.source;
    if (out_.size() >= kBuffer) {
      streams_.out.write(out_.data(), static_cast<std::streamsize>(out_.size()));
      out_.clear();
    }
  }
}

void LogPrinter::flush() {
  streams_.out << out_ << std::flush;
  out_.clear();
}

}  // namespace kml::ui
