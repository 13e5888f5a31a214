#include "net/registry/challenge.h"

#include <algorithm>

#include "kml/base/text.h"

namespace kml::registry {

namespace {

/// Reads a list such as `Bearer realm="https://…",service="registry"`.
class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : rest_(text) {}

  Challenge read() {
    Challenge challenge;
    const std::string scheme = lower(word(" \t,"));
    if (scheme == "basic") challenge.scheme = Challenge::Scheme::basic;
    if (scheme == "bearer") challenge.scheme = Challenge::Scheme::bearer;
    while (skip_separators()) {
      const std::string name = lower(trim(word("=,")));
      if (!rest_.starts_with('=')) continue;
      rest_.remove_prefix(1);
      const std::string value = parameter();
      if (name == "realm") challenge.realm = value;
      if (name == "service") challenge.service = value;
    }
    return challenge;
  }

 private:
  std::string word(std::string_view ends) {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(found.size());
    return std::string(found);
  }

  bool skip_separators() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(", \t"), rest_.size()));
    return !rest_.empty();
  }

  std::string parameter() {
    if (!rest_.starts_with('"')) return std::string(trim(word(",")));
    std::string value;
    for (rest_.remove_prefix(1); !rest_.empty() && rest_[0] != '"'; rest_.remove_prefix(1)) {
      if (rest_[0] == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      value += rest_[0];
    }
    rest_.remove_prefix(std::min<size_t>(1, rest_.size()));
    return value;
  }

  std::string_view rest_;
};

}  // namespace

Challenge challenge_of(const http::Response& response) {
  Challenge best;
  const auto [begin, end] = response.headers.equal_range("www-authenticate");
  for (auto header = begin; header != end; ++header) {
    Challenge one = ChallengeReader(trim(header->second)).read();
    if (one.scheme == Challenge::Scheme::bearer && one.realm.empty()) continue;
    if (one.scheme > best.scheme) best = std::move(one);
  }
  return best;
}

}  // namespace kml::registry
