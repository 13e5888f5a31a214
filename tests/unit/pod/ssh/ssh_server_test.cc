#include "pod/ssh/ssh_server.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"

namespace kml::pod::ssh_server_test {

namespace {

SshServer parsed(const std::string& user, const std::string& key) {
  return parse_ssh_server("sshd /usr/sbin/sshd\nuser " + user + "\nfolder /tmp/kml-ssh-1\nkey " + key + "\n",
                          "bert/0", "1a");
}

}  // namespace

TEST_CASE("ssh_server: the pod's report becomes the ssh command") {
  const SshServer server = parsed("ana.k_1", "ssh-ed25519 AAAA+/=");
  CHECK(server.user == "ana.k_1");
  CHECK(server.host_key == "ssh-ed25519 AAAA+/=");
  CHECK(std::vector<std::string>(server.command.begin() + 4, server.command.end()) ==
        std::vector<std::string>{"/usr/sbin/sshd", "/tmp/kml-ssh-1", "1a"});
}

TEST_CASE("ssh_server: a hostile pod cannot write into the user's ssh files") {
  for (const char* user : {"", "-oProxyCommand=x", "a b", "a\"", "%h", "a\nProxyCommand x\nuser "})
    CHECK_THROWS_AS(parsed(user, "ssh-ed25519 AAAA"), Error);
  for (const char* key : {"", "ssh-ed25519", "ssh-rsa AAAA", "ssh-ed25519 AAAA comment", "ssh-ed25519 A\tB"})
    CHECK_THROWS_AS(parsed("ana", key), Error);
  CHECK_THROWS_AS(parse_ssh_server("sshd none\n", "bert/0", "1a"), Error);
}

}  // namespace kml::pod::ssh_server_test
