#include "tracking/commands/run_condition.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
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

/// Finds the quoted texts that can only be names, because they are part of a calculation, are compared with a
/// number, null or another text, or are the argument of isnan().
class QuotedNames {
 public:
  QuotedNames(std::string_view condition, const std::vector<Token>& tokens)
      : condition_(condition), tokens_(tokens) {}

  bool has(size_t i) const {
    if (!is(i, TokenKind::text)) return false;
    if (is(i + 1, TokenKind::calculation) || is(i - 1, TokenKind::calculation)) return true;
    if (is_word(i - 2, "isnan") && is_word(i - 1, "(") && is_word(i + 1, ")")) return true;
    const bool is_signed = is(i + 2, TokenKind::calculation);  // -0.5
    if (is(i + 1, TokenKind::comparison) && (is_value(i + (is_signed ? 3 : 2)) || is_first_of_texts(i)))
      return true;
    return is(i - 1, TokenKind::comparison) &&
           (is_value(i - 2) || (is(i - 2, TokenKind::text) && !is_first_of_texts(i - 2)));
  }

 private:
  /// False for an index before the first token, which is a huge number because it is unsigned.
  bool is(size_t at, TokenKind kind) const { return at < tokens_.size() && tokens_[at].kind == kind; }

  bool is_word(size_t at, std::string_view word) const {
    return is(at, TokenKind::other) && text_at(at) == word;
  }

  std::string_view text_at(size_t at) const {
    return condition_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin);
  }

  bool is_value(size_t at) const {
    constexpr std::string_view kValues[] = {"null", "true", "false", "inf", "Infinity"};
    return is(at, TokenKind::number) ||
           (is(at, TokenKind::other) &&
            std::find(std::begin(kValues), std::end(kValues), text_at(at)) != std::end(kValues));
  }

  /// Of two texts that are compared, the name is the first one, unless only the second one names a tag.
  bool is_first_of_texts(size_t i) const {
    const auto names_tag = [&](size_t at) { return text_at(at).substr(1).starts_with("tags."); };
    return is(i + 2, TokenKind::text) && (names_tag(i) || !names_tag(i + 2));
  }

  const std::string_view condition_;
  const std::vector<Token>& tokens_;
};

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

RunCondition::RunCondition(const std::string& where) try : expression_(rewritten(where, quoted_)) {
} catch (Error& error) {
  if (error.fix.empty() && contains(error.message, "is missing"))
    error.fix =
        "if a name has a space, a slash or another sign, put it in quotes: '\"val/acc\" > 0.9'; "
        "`kml runs -o json` lists all names";
  throw;
}

Expression RunCondition::rewritten(const std::string& where, std::map<std::string, std::string>& quoted) {
  Expression typed(where);
  const std::vector<Token> tokens = tokens_in(where);
  const QuotedNames names(where, tokens);
  std::string text;
  size_t copied = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!names.has(i)) continue;
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
