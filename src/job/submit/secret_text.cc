#include "kml/job/submit/secret_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "kml/base/text.h"

namespace kml::job {

namespace {

/// Whether the value contains scheme://user:password@host.
bool has_password(std::string_view value) {
  for (size_t at = value.find("://"); at != std::string_view::npos; at = value.find("://", at + 1)) {
    const std::string_view rest = value.substr(at + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \t\n\"'"));
    const std::string_view user = authority.substr(0, authority.rfind('@'));
    const size_t colon = user.find(':');
    if (user.size() < authority.size() && colon != std::string_view::npos && colon + 1 < user.size())
      return true;
  }
  return false;
}

/// Whether the value starts like a key of a well-known service.
bool is_known_key(std::string_view value) {
  constexpr std::array<std::string_view, 9> kStarts = {
      "ghp_", "github_pat_", "glpat-", "hf_", "sk-", "xoxb-", "AKIA", "eyJhbGci", "-----BEGIN "};
  constexpr size_t kShortest = 20;
  return value.size() >= kShortest &&
         std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return value.starts_with(start); });
}

}  // namespace

bool names_secret(std::string_view variable) {
  constexpr std::array<std::string_view, 4> kAnywhere = {"PASSPHRASE", "KEY", "CREDENTIAL", "CREDENTIALS"};
  // Words that also match at the end of a longer word, as in PGPASSWORD.
  constexpr std::array<std::string_view, 5> kEnds = {"PASSWORD", "PASSWD", "SECRET", "TOKEN", "APIKEY"};
  constexpr std::array<std::string_view, 12> kLast = {"PAT",     "PWD",     "PASS",      "COOKIE",
                                                      "COOKIES", "DSN",     "AUTH",      "JWT",
                                                      "CREDS",   "SECRETS", "PASSWORDS", "NETRC"};
  constexpr std::array<std::string_view, 5> kAddresses = {"DATABASE_URL", "DB_URL", "DATABASE_URI",
                                                          "WEBHOOK_URL", "CONNECTION_STRING"};
  std::string upper(variable);
  for (char& c : upper)
    c = c == '-' || c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto ends_upper = [&](std::string_view end) { return upper.ends_with(end); };
  if (std::any_of(kAddresses.begin(), kAddresses.end(), ends_upper)) return true;
  const std::vector<std::string> words = split(upper, '_');
  for (const std::string& word : words) {
    const auto ends_word = [&](std::string_view end) { return word.ends_with(end); };
    if (std::find(kAnywhere.begin(), kAnywhere.end(), word) != kAnywhere.end() ||
        std::any_of(kEnds.begin(), kEnds.end(), ends_word))
      return true;
  }
  // PWD is the shell's current folder, not a password.
  return upper != "PWD" && std::find(kLast.begin(), kLast.end(), words.back()) != kLast.end();
}

bool is_secret(std::string_view variable, std::string_view value) {
  return names_secret(variable) || has_password(value) || is_known_key(value);
}

}  // namespace kml::job
