#include "sweep/spec/csv.h"

#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::sweep {

namespace {

Error broken(const std::string& source, size_t line, const std::string& what) {
  return usage_error("line " + std::to_string(line) + " of " + source + " cannot be read", what,
                     "give a file as `kml sweep export` writes it, CSV or JSON lines");
}

std::vector<Json> json_lines(std::string_view text, const std::string& source) {
  std::vector<Json> rows;
  size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object()) throw broken(source, number, "it is no JSON object");
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Takes one record off the text; a quoted field may hold separators, and line ends.
std::vector<std::string> take_record(std::string_view& text, size_t& line, const std::string& source) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (is_quoted) {
      if (c != '"')
        fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        is_quoted = false;
    } else if (c == '"' && fields.back().empty()) {
      is_quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (is_quoted) throw broken(source, line, "a quote is not closed");
  text.remove_prefix(std::min(at + 1, text.size()));
  return fields;
}

}  // namespace

std::vector<Json> rows_of(std::string_view text, const std::string& source) {
  if (trim(text).starts_with("{")) return json_lines(text, source);
  size_t line = 0;
  const std::vector<std::string> header = take_record(text, line, source);
  std::vector<Json> rows;
  while (!text.empty()) {
    const std::vector<std::string> fields = take_record(text, line, source);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != header.size())
      throw broken(source, line,
                   "it has " + std::to_string(fields.size()) + " fields, and the header " +
                       std::to_string(header.size()));
    Json row = Json::object();
    for (size_t i = 0; i < fields.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kml::sweep
