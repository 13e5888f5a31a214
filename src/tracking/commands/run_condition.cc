#include "tracking/commands/run_condition.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "kml/base/text.h"

namespace kml::cli {

namespace {

enum class TokenKind { text, number, comparison, calculation, other };

struct Token {
  TokenKind kind;
  size_t begin, end;
};

size_t end_of_text(std::string_view condition, size_t begin) {
  for (size_t i = begin + 1; i < condition.size(); ++i) {
    if (condition[i] == condition[begin]) return i + 1;
    if (condition[i] == '\\') ++i;
  }
  return condition.size();
}

Token token_at(std::string_view condition, size_t begin) {
  constexpr std::string_view kSigns = "<>=!+-*/&|(),\"' \t\r\n";
  const char first = condition[begin];
  const auto is_one_of = [&](std::string_view signs) { return signs.find(first) != std::string_view::npos; };
  if (is_one_of("\"'")) return {TokenKind::text, begin, end_of_text(condition, begin)};
  if (is_one_of("<>=!")) {
    const size_t end = condition.substr(begin + 1).starts_with('=') ? begin + 2 : begin + 1;
    return {first == '!' && end == begin + 1 ? TokenKind::other : TokenKind::comparison, begin, end};
  }
  if (is_one_of("+-*/")) return {TokenKind::calculation, begin, begin + 1};
  if (is_one_of(kSigns)) return {TokenKind::other, begin, begin + 1};
  const size_t end = std::min(condition.find_first_of(kSigns, begin), condition.size());
  return {is_digit(first) || first == '.' ? TokenKind::number : TokenKind::other, begin, end};
}

std::vector<Token> tokens_in(std::string_view condition) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < condition.size();) {
    const bool is_space = contains(" \t\r\n", condition.substr(at, 1));
    if (!is_space) tokens.push_back(token_at(condition, at));
    at = is_space ? at + 1 : tokens.back().end;
  }
  return tokens;
}

/// Whether the text at `i` can only be a name, because it is compared or calculated with a number.
bool is_quoted_name(const std::vector<Token>& tokens, size_t i) {
  const auto is = [&](size_t at, TokenKind kind) { return at < tokens.size() && tokens[at].kind == kind; };
  if (!is(i, TokenKind::text)) return false;
  if (is(i + 1, TokenKind::calculation) || (i > 0 && is(i - 1, TokenKind::calculation))) return true;
  const bool is_signed = is(i + 2, TokenKind::calculation);  // -0.5
  if (is(i + 1, TokenKind::comparison) && is(i + (is_signed ? 3 : 2), TokenKind::number)) return true;
  return i > 1 && is(i - 1, TokenKind::comparison) && is(i - 2, TokenKind::number);
}

/// A name for an expression with as many characters as the quoted one, so that columns in errors stay right.
std::string name_for(std::string_view quoted, size_t index) {
  const auto characters = static_cast<size_t>(
      std::count_if(quoted.begin(), quoted.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  std::string name = "q" + std::to_string(index);
  name.resize(std::max(characters, name.size()), '_');
  return name;
}

std::string unquoted(std::string_view text) {
  std::string content;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    content += text[i];
  }
  return content;
}

}  // namespace

RunCondition::RunCondition(const std::string& where) : expression_(rewritten(where, quoted_)) {}

Expression RunCondition::rewritten(const std::string& where, std::map<std::string, std::string>& quoted) {
  Expression typed(where);
  const std::vector<Token> tokens = tokens_in(where);
  std::string text;
  size_t copied = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!is_quoted_name(tokens, i)) continue;
    const std::string literal = where.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    const std::string name = name_for(literal, i);
    quoted[name] = unquoted(literal);
    text.append(where, copied, tokens[i].begin - copied).append(name);
    copied = tokens[i].end;
  }
  return quoted.empty() ? typed : Expression(text.append(where, copied));
}

const std::string& RunCondition::meant(const std::string& name) const {
  const auto found = quoted_.find(name);
  return found == quoted_.end() ? name : found->second;
}

std::string RunCondition::as_typed(std::string text) const {
  for (const auto& [name, meant] : quoted_)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += meant.size() + 2)
      text.replace(at, name.size(), "\"" + meant + "\"");
  return text;
}

}  // namespace kml::cli
