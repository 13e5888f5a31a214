#include "kml/jobs/secret_env.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/jobs/kinds.h"

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

}  // namespace

bool names_secret(std::string_view variable) {
  constexpr std::array<std::string_view, 9> kWords = {
      "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "APIKEY", "KEY", "CREDENTIAL", "CREDENTIALS"};
  std::string upper(variable);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& word : split(upper, '_'))
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  return false;
}

void take_out_secrets(Json& object) {
  each_variable(object, [](const std::string& name, Json& value) {
    if (names_secret(name)) value = kTakenOut;
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
