#include "pipeline/kfp/environment.h"

#include <unistd.h>

#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace kml::pipeline::kfp {

namespace {

namespace fs = std::filesystem;

/// A Python script that the caller's environment runs. Makes the caller's packages importable in the
/// environment that has the given package folder; the packages in this folder come first.
constexpr std::string_view kAddPackages = R"(import pathlib, sys
lines = [f"import site; site.addsitedir({path!r})\n" for path in sys.path if path.endswith("-packages")]
(pathlib.Path(sys.argv[1]) / "packages_of_caller.pth").write_text("".join(lines))
)";

/// Creates the environment $1 with the script $2 if it does not exist, adds packages with the program $3, and
/// then runs the remaining words in the environment. The kernel releases the lock when the process ends,
/// however it ends. An incomplete environment is created again.
constexpr std::string_view kInEnvironment = R"(venv=$1 install=$2 add=$3
shift 3
export VIRTUAL_ENV="$venv" PATH="$venv/bin:$PATH"
if ! [ -e "$venv/complete" ]; then
  mkdir -p "${venv%/*}" || exit
  (
    flock 9 || exit
    [ -e "$venv/complete" ] && exit
    echo "making a virtual environment in $venv" >&2
    rm -rf "$venv"
    PATH=${PATH#*:} python3 -m venv "$venv" && sh -c "$install" true &&
      PATH=${PATH#*:} python3 -c "$add" "$venv"/lib/python3*/site-packages && : >"$venv/complete"
  ) 9>"$venv.lock" || { echo "cannot make the virtual environment of this component" >&2; exit 1; }
fi
exec "$@"
)";

/// The first python3 in PATH.
fs::path python_here() {
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (fs::path path = fs::path(folder) / "python3"; ::access(path.c_str(), X_OK) == 0) return path;
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
  const std::string key = sha256_hex(python_digest() + python_here().string() + bootstrap).substr(0, 16);
  std::vector<std::string> command{"sh",
                                   "-c",
                                   std::string(kInEnvironment),
                                   "sh",
                                   state_folder() / "venvs" / key,
                                   bootstrap,
                                   std::string(kAddPackages)};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

void add_python(std::map<std::string, std::string>& parts) {
  parts["program python3"] = python_digest();
}

}  // namespace kml::pipeline::kfp
