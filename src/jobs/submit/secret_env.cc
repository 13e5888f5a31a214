#include "kml/jobs/submit/secret_env.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

constexpr const char* kTakenOut = "<kept out of the record>";

/// The variables of a manifest's containers that have a plain value.
void each_variable(Json& object, const std::function<void(const std::string& name, Json& value)>& visit) {
  each_pod_template(object, [&](Json& pod, int) {
    for (const char* list : {"initContainers", "containers"}) {
      if (array_at(pod, {"spec", list}).empty()) continue;
      for (Json& container : pod["spec"][list]) {
        if (array_at(container, {"env"}).empty()) continue;
        for (Json& variable : container["env"])
          if (!string_at(variable, {"value"}).empty())
            visit(string_at(variable, {"name"}), variable["value"]);
      }
    }
  });
}

/// Whether there is a scheme://user:password@host in it.
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

/// Whether it begins as the keys of well-known services do.
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
  // As ends of words: PGPASSWORD.
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
  // PWD alone is the folder in which a shell stands.
  return upper != "PWD" && std::find(kLast.begin(), kLast.end(), words.back()) != kLast.end();
}

bool is_secret(std::string_view variable, std::string_view value) {
  return names_secret(variable) || has_password(value) || is_known_key(value);
}

void take_out_secrets(Json& object) {
  each_variable(object, [](const std::string& name, Json& value) {
    if (is_secret(name, value.get_ref<const std::string&>())) value = kTakenOut;
  });
}

void put_in_secrets(std::vector<Json>& objects, const std::function<std::string(const char*)>& value_of) {
  std::set<std::string> missing;
  for (Json& object : objects)
    each_variable(object, [&](const std::string& name, Json& value) {
      if (value != kTakenOut) return;
      value = value_of(name.c_str());
      if (value.get_ref<const std::string&>().empty()) missing.insert(name);
    });
  if (missing.empty()) return;
  const std::string names = join(std::vector<std::string>(missing.begin(), missing.end()), ", ");
  throw usage_error("the run needs values that its record does not hold: " + names,
                    "what looks like a secret is kept out of records",
                    "export " + names + ", then try again");
}

}  // namespace kml::jobs
