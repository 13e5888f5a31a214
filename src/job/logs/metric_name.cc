#include "job/logs/metric_name.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "kml/base/text.h"
#include "kml/base/unicode.h"
#include "kml/job/logs/metric_line.h"

namespace kml::job {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == '-' || c == '@';
}

}  // namespace

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

size_t letter_size(std::string_view text) {
  if (text.empty()) return 0;
  if (is_ascii(text[0])) return is_letter(text[0]) ? 1 : 0;
  const std::optional<CodePoint> first = first_code_point(text);
  return first && is_letter_or_number(first->value) ? first->bytes : 0;
}

size_t name_character_size(std::string_view text) {
  if (text.empty() || is_ascii(text[0])) return !text.empty() && is_name_character(text[0]) ? 1 : 0;
  const std::optional<CodePoint> first = first_code_point(text);
  return first && (is_letter_or_number(first->value) || is_mark(first->value)) ? first->bytes : 0;
}

size_t name_size(std::string_view text) {
  size_t size = 0;
  while (const size_t next = name_character_size(text.substr(size))) size += next;
  return size;
}

bool ends_in_name(std::string_view text) {
  constexpr size_t kLongestCharacter = 4;
  if (text.empty()) return false;
  size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < kLongestCharacter && (text[begin] & 0xC0) == 0x80) --begin;
  return name_character_size(text.substr(begin)) == text.size() - begin;
}

namespace {

/// Words before a name that make it another metric: the part of the data, the extreme, the kind of mean, or
/// the part of the model.
bool is_qualifier(std::string_view word) {
  static const MetricNames kQualifiers = {"absolute",      "actor",
                                          "adversarial",   "aux",
                                          "auxiliary",     "average",
                                          "avg",           "balanced",
                                          "baseline",      "batch",
                                          "best",          "box",
                                          "class",         "classification",
                                          "cls",           "critic",
                                          "dev",           "disc",
                                          "discriminator", "ema",
                                          "entropy",       "eval",
                                          "evaluation",    "gen",
                                          "generator",     "greatest",
                                          "highest",       "holdout",
                                          "initial",       "kl",
                                          "largest",       "lowest",
                                          "macro",         "max",
                                          "maximum",       "mean",
                                          "median",        "micro",
                                          "min",           "minimum",
                                          "objectness",    "percentage",
                                          "policy",        "prev",
                                          "previous",      "reconstruction",
                                          "regression",    "relative",
                                          "root",          "running",
                                          "smallest",      "smoothed",
                                          "square",        "squared",
                                          "student",       "target",
                                          "teacher",       "test",
                                          "testing",       "top",
                                          "total",         "train",
                                          "training",      "val",
                                          "valid",         "validation",
                                          "value",         "weighted",
                                          "worst"};
  return kQualifiers.contains(lower(word));
}

/// The word that stands before `begin`, with only spaces between; empty if it is not a word of letters.
std::string_view word_before(std::string_view line, size_t begin) {
  const size_t end = line.substr(0, begin).find_last_not_of(' ') + 1;  // npos + 1 is 0
  if (end == 0 || end == begin) return {};
  size_t start = end;
  while (start > 0 && is_letter(line[start - 1])) --start;
  return ends_in_name(line.substr(0, start)) ? std::string_view() : line.substr(start, end - start);
}

}  // namespace

bool follows_qualifier(std::string_view line, size_t begin) {
  return is_qualifier(word_before(line, begin));
}

std::string full_name(std::string_view line, size_t begin, std::string_view name) {
  std::string full(name);
  if (counts_steps(lower(name))) return full;
  for (std::string_view word = word_before(line, begin); is_qualifier(word);
       word = word_before(line, begin)) {
    if (lower(full).starts_with(lower(word))) break;  // "val val_loss"
    full.insert(0, std::string(word) + "_");
    begin = static_cast<size_t>(word.data() - line.data());
  }
  return full;
}

size_t address_size(std::string_view text, size_t name_end) {
  if (!text.substr(name_end).starts_with("://")) return 0;
  return std::min(text.find_first_of(" \t\"'<>|", name_end), text.size());
}

bool is_place_in_code(std::string_view line, size_t begin, std::string_view name) {
  constexpr std::string_view kLevels[] = {"debug", "info",     "warning", "warn",
                                          "error", "critical", "notice",  "trace"};
  constexpr std::string_view kFiles[] = {".py", ".c",  ".cc", ".cpp", ".cu",   ".cuh",   ".h", ".hpp",  ".go",
                                         ".rs", ".jl", ".js", ".ts",  ".java", ".scala", ".r", ".ipynb"};
  const std::string_view rest = line.substr(begin + name.size());
  const size_t digits = rest.substr(std::min<size_t>(1, rest.size())).find_first_not_of("0123456789");
  const bool is_whole = digits > 0 && (digits == std::string_view::npos || rest[digits + 1] != '.');
  if (!rest.starts_with(':') || rest.size() < 2 || !is_whole) return false;
  const std::string small = lower(name);
  const size_t dot = small.rfind('.');
  if (dot != std::string::npos &&
      std::find(std::begin(kFiles), std::end(kFiles), small.substr(dot)) != std::end(kFiles))
    return true;
  std::string_view before = line.substr(0, begin);
  while (!before.empty() && contains(" \t|:-[]", before.substr(before.size() - 1))) before.remove_suffix(1);
  if (before.size() == begin || counts_steps(small)) return false;
  const size_t start = before.find_last_of(" \t|:-[]") + 1;  // npos + 1 is 0
  const std::string level = lower(before.substr(start));
  return std::find(std::begin(kLevels), std::end(kLevels), level) != std::end(kLevels);
}

bool is_of_process(std::string_view line, size_t begin, std::string_view name) {
  static const MetricNames kExceptions = {
      "ArithmeticError",   "AssertionError", "AttributeError", "CalledProcessError",  "ConnectionError",
      "Exception",         "HTTPError",      "ImportError",    "IndexError",          "KeyError",
      "KeyboardInterrupt", "LookupError",    "MemoryError",    "NotImplementedError", "OSError",
      "OverflowError",     "RecursionError", "RuntimeError",   "StopIteration",       "SystemExit",
      "TimeoutError",      "TypeError",      "UnicodeError",   "ValueError",          "ZeroDivisionError"};
  static const MetricNames kDevices = {"cpu", "cuda", "gpu", "hip", "mps", "npu", "xpu"};
  static const MetricNames kOfProcess = {"commit",         "global_rank", "local_rank", "local_world_size",
                                         "master_port",    "nnodes",      "node_rank",  "nproc",
                                         "nproc_per_node", "pid",         "port",       "ppid",
                                         "rank",           "revision",    "world_size"};
  const std::string_view rest = line.substr(begin + name.size());
  const std::string small = lower(name);
  if (begin == 0 && rest.starts_with(": ") && kExceptions.contains(name.substr(name.rfind('.') + 1)))
    return true;
  const bool is_numbered = rest.size() > 1 && rest[0] == ':' && is_digit(rest[1]);
  return (is_numbered && kDevices.contains(small)) || kOfProcess.contains(small);
}

}  // namespace kml::job
