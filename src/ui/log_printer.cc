#include "kml/ui/log_printer.h"

#include <array>
#include <ostream>

#include "kml/ui/clean.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

Style colour_of(std::string_view source) {
  constexpr std::array kColours = {Style::cyan, Style::green, Style::magenta, Style::yellow, Style::blue};
  uint32_t hash = 2166136261;  // FNV-1a
  for (char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return kColours[hash % kColours.size()];
}

}  // namespace

void LogPrinter::print(const jobs::LogLine& line) {
  std::ostream& out = streams_.out;
  if (options_.with_source) {
    std::string source = (options_.with_job ? std::string(line.job) + " " : "") + std::string(line.source);
    out << styled(source, colour_of(source), streams_.colours) << " | ";
  }
  if (options_.with_time) out << line.time << ' ';
  if (streams_.out_is_terminal)
    out << clean(line.text);
  else
    out << line.text;
  out << '\n';
}

}  // namespace kml::ui
