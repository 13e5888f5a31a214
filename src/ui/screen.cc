#include "kml/ui/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "kml/base/clean.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

std::string start_of(size_t row) {
  return "\x1B[" + std::to_string(row) + ";1H";
}

}  // namespace

size_t Screen::rows() const {
  constexpr size_t kUsual = 24;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsual;
}

size_t Screen::columns() const {
  winsize size{};
  const bool is_known = streams_.out_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (is_known && size.ws_col > 0) return size.ws_col;
  return static_cast<size_t>(std::max(streams_.width, 0));
}

void Screen::draw(std::vector<std::string> lines) {
  const size_t rows = this->rows(), columns = this->columns();
  // The last row must stay empty, because a newline in it would scroll the screen.
  if (lines.size() >= rows) lines.resize(rows - 1);
  if (columns > 0)
    for (std::string& line : lines) line = cut_line(line, columns);
  if (rows == rows_ && columns == columns_ && lines == shown_) return;
  std::ostream& out = streams_.out;
  if (rows != rows_ || columns != columns_) {
    out << AsItIs{"\x1B[H\x1B[2J"};
    shown_.clear();
    rows_ = rows;
    columns_ = columns;
  }
  for (size_t i = 0; i < lines.size(); ++i)
    if (i >= shown_.size() || lines[i] != shown_[i])
      out << AsItIs{start_of(i + 1)} << lines[i] << AsItIs{"\x1B[K"};
  if (lines.size() < shown_.size()) out << AsItIs{start_of(lines.size() + 1)} << AsItIs{"\x1B[J"};
  shown_ = std::move(lines);
  end();
}

void Screen::end() {
  if (rows_ > 0) streams_.out << AsItIs{start_of(shown_.size() + 1)} << std::flush;
}

std::vector<std::string> lines_of(const Streams& streams, const std::function<void(const Streams&)>& print) {
  std::ostringstream text;
  print(Streams{text, streams.err, streams.out_is_terminal, streams.err_is_terminal, streams.colours,
                streams.width});
  std::vector<std::string> lines;
  std::istringstream all(text.str());
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

void Progress::show(std::string_view text) {
  if (!streams_.err_is_terminal) return;
  streams_.out << std::flush;  // both streams may go to the same terminal
  // A wrapped line could not be erased, so it is cut.
  streams_.err << AsItIs{"\r"} << cut_to(clean(text), static_cast<size_t>(std::max(streams_.width - 1, 1)))
               << AsItIs{"\x1B[K"} << std::flush;
  is_shown_ = true;
}

void Progress::end() {
  if (is_shown_) streams_.err << AsItIs{"\r\x1B[K"} << std::flush;
  is_shown_ = false;
}

}  // namespace kml::ui
