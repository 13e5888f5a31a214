#include "engine/in_cluster/git_access.h"

#include "kml/base/json_fields.h"

namespace kml::engine {

namespace {

constexpr const char* kCredentials = "/kml/git";
constexpr int kReadableByGroup = 0440;  // a mode that ssh accepts for a key owned by another user

/// A credential helper as gitcredentials(7) describes it. With a token, the user name does not matter.
constexpr const char* kHelper =
    R"(!f() { [ "$1" = get ] || exit 0; username=git password=; cd /kml/git; )"
    R"([ ! -e username ] || IFS= read -r username <username || :; IFS= read -r password <password || :; )"
    R"(printf 'username=%s\npassword=%s\n' "$username" "$password"; }; f)";

/// "https://example.org" for "https://example.org/ana/bert"; empty for another protocol.
std::string http_server_of(const std::string& repository) {
  if (!repository.starts_with("http://") && !repository.starts_with("https://")) return {};
  return repository.substr(0, repository.find('/', repository.find("://") + 3));
}

}  // namespace

constexpr std::tuple kGitFields = {JsonField{"repository", &GitAccess::repository},
                                   JsonField{"secret", &GitAccess::secret}};

Json to_json(const GitAccess& git) {
  return fields_to_json(git, kGitFields);
}

GitAccess git_access_from_json(const Json& json) {
  GitAccess git;
  read_fields(json, git, kGitFields);
  return git;
}

void add_git(const GitAccess& git, Json& pod) {
  Json& container = pod["containers"][0];
  const auto set = [&](const char* name, const std::string& value) {
    container["env"].push_back({{"name", name}, {"value", value}});
  };
  set("TMPDIR", kEngineWork);
  set("HOME", kEngineWork);
  if (git.secret.empty()) return;
  pod["volumes"].push_back(
      {{"name", "git"}, {"secret", {{"secretName", git.secret}, {"defaultMode", kReadableByGroup}}}});
  container["volumeMounts"].push_back({{"name", "git"}, {"mountPath", kCredentials}, {"readOnly", true}});
  if (const std::string server = http_server_of(git.repository); !server.empty()) {
    // Configures git through its environment (git-config(1), ENVIRONMENT). No other server receives the
    // password.
    set("GIT_CONFIG_COUNT", "1");
    set("GIT_CONFIG_KEY_0", "credential." + server + ".helper");
    set("GIT_CONFIG_VALUE_0", kHelper);
  } else {
    set("GIT_SSH_COMMAND",
        "ssh -oBatchMode=yes -oIdentitiesOnly=yes -oIdentityFile=/kml/git/ssh-privatekey "
        "-oUserKnownHostsFile=/kml/git/known_hosts");
  }
}

}  // namespace kml::engine
