#include "pipeline/kfp/environment.h"

#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/program_path.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/packages/script_environment.h"

namespace kml::pipeline::kfp {

namespace {

namespace fs = std::filesystem;

/// The first python3 in PATH.
fs::path python_here() {
  if (fs::path path = find_program("python3", environment("PATH")); !path.empty()) return path;
  throw usage_error("components in Python need python3, which is not in PATH", "",
                    "install it, for example with `apt install python3-venv`");
}

/// The digest of python3's path, with links resolved, and of its content.
const std::string& python_digest() {
  static const std::string digest = [] {
    const fs::path python = fs::canonical(python_here());
    return sha256_hex(python.string() + " " + sha256_of_file(python));
  }();
  return digest;
}

}  // namespace

bool has_bootstrap(const std::vector<std::string>& words) {
  return words.size() > 3 && words[0] == "sh" && words[1] == "-c" && contains(words[2], " pip install ") &&
         trim(words[2]).ends_with("\"$0\" \"$@\"");
}

std::string with_readable_kfp(std::string script) {
  constexpr std::string_view kFirst = "kfp==2.";
  for (size_t at = 0; (at = script.find(kFirst, at)) != std::string::npos; at += kFirst.size()) {
    const size_t minor = at + kFirst.size();
    const bool is_old = minor + 1 < script.size() && contains("01234", script.substr(minor, 1)) &&
                        !is_digit(script[minor + 1]);
    if (is_old) script.replace(minor, script.find_first_not_of("0123456789.", minor) - minor, "5.0");
  }
  return script;
}

std::string installing_part(const std::string& bootstrap) {
  std::vector<std::string> lines = split(bootstrap, '\n');
  std::erase_if(lines, [](const std::string& line) {
    return line == "tmp=$(mktemp -d)" || line.starts_with("python3 -m venv \"$tmp/venv\"") ||
           line == ". \"$tmp/venv/bin/activate\"";
  });
  return with_readable_kfp(join(lines, "\n"));
}

std::vector<std::string> in_environment(const std::string& bootstrap, const std::vector<std::string>& words) {
  return packages::in_script_environment(bootstrap, python_here(), words);
}

void add_python(std::map<std::string, std::string>& parts) {
  parts["program python3"] = python_digest();
}

}  // namespace kml::pipeline::kfp
