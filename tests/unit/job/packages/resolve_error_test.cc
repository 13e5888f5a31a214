#include <doctest/doctest.h>

#include "job/packages/own_hashes.h"
#include "job/packages/resolve_error.h"
#include "kml/base/text.h"

namespace resolve_error_test {

using namespace kml;

TEST_CASE("packages: uv's reason for a failure gets a fix that fits it") {
  using Kind = packages::Requested::Kind;
  struct Row {
    Kind kind;
    const char* reason;
    ErrorCode code;
    const char* why;
    const char* fix;
  };
  const Row rows[] = {
      {Kind::requirements,
       "Couldn't parse requirement in `requirements.in` at position 12 Unexpected end of version specifier, "
       "expected version six>= ^^",
       ErrorCode::usage, "Unexpected end of version specifier, expected version six>=", "write it as NAME"},
      {Kind::project, "Couldn't parse requirement in `requirements.in`", ErrorCode::usage, "", "write it as"},
      {Kind::requirements,
       "Couldn't parse requirement in `r.in` at position 0 Expected a quoted string or a valid marker name, "
       "found `python version`",
       ErrorCode::usage, "Expected a quoted string", "write it as NAME"},
      {Kind::project,
       "Project `p` has malformed dependency groups Failed to parse entry in group `x`: `six>=` Unexpected "
       "end",
       ErrorCode::usage, "Unexpected end", "write it as NAME"},
      {Kind::project, "Failed to parse entry in group ", ErrorCode::usage, "", "write it as NAME"},
      {Kind::project, "Building source distributions is disabled", ErrorCode::failure, "",
       "builds no packages"},
      {Kind::requirements, "Because x==1 has no wheels with a matching platform tag", ErrorCode::failure, "",
       "ask for a version with a wheel"},
      {Kind::requirements, "Failed to fetch: `http://h/simple/x/` error sending request", ErrorCode::failure,
       "", "check the connection"},
      {Kind::requirements,
       "Failed to fetch: `http://h/simple/x/` HTTP status client error (401 Unauthorized)",
       ErrorCode::failure, "", "log in to the index"},
      {Kind::requirements,
       "Because x was not found in the package registry, your requirements are unsatisfiable. An index URL "
       "(http://h/simple) could not be queried due to a lack of valid authentication credentials (401 "
       "Unauthorized)",
       ErrorCode::failure, "", "log in to the index"},
      {Kind::requirements,
       "Failed to download `x @ http://h/x.whl` Failed to fetch: http://h/x.whl HTTP status client error "
       "(404 "
       "Not Found) for url (http://h/x.whl)",
       ErrorCode::failure, "", "correct the URL"},
      {Kind::requirements,
       "Failed to fetch: http://h/x.whl HTTP status client error (429 Too Many Requests) for url "
       "(http://h/x.whl)",
       ErrorCode::failure, "", "is busy: try again"},
      {Kind::requirements, "Failed to fetch: `https://h/` invalid peer certificate: UnknownIssuer",
       ErrorCode::failure, "", "SSL_CERT_FILE=FILE"},
      {Kind::project, "the requested Python version (>=3.10) does not satisfy Python>=3.12",
       ErrorCode::failure, "", "in r: requires-python"},
      {Kind::requirements, "the requested Python version (>=3.10) does not satisfy Python>=3.12",
       ErrorCode::failure, "", "in a pyproject.toml in this folder: requires-python"},
      {Kind::conda, "the requested Python version (>=3.10) does not satisfy Python>=3.12", ErrorCode::failure,
       "", "in the dependencies of r: python=3.12"},
      {Kind::requirements, "Request failed after 3 retries operation timed out", ErrorCode::failure, "",
       "check the connection"},
      {Kind::requirements, "Failed to download `six==1.0` Connection reset by peer", ErrorCode::failure, "",
       "check the connection"},
      {Kind::requirements, "Because there is no version of no-build==9", ErrorCode::failure, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    packages::Requested requested;
    // The packages for pip in a conda file are a list of requirements.
    requested.kind = row.kind == Kind::conda ? Kind::requirements : row.kind;
    if (row.kind == Kind::conda) requested.conda_packages = {"python"};
    requested.shown = "r";
    const Error error = packages::resolve_error(row.reason, requested);
    CHECK(error.code == row.code);
    CHECK(contains(error.why, row.why));
    CHECK(contains(error.fix, row.fix));
    if (*row.fix == '\0') CHECK(error.fix == "");
    CHECK_FALSE(contains(error.why, "position"));
  }
}

TEST_CASE("packages: a reason names the host that did not respond") {
  const std::pair<const char*, const char*> rows[] = {
      {"Failed to fetch: `https://h:8443/simple/x/` error sending request", "h:8443"},
      {"Failed to fetch: http://u:p@h/x.whl HTTP status", "h"},
      {"An index URL (http://127.0.0.1:1/simple) could not be queried", "127.0.0.1:1"},
      {"for url (https://h)", "h"},
      {"operation timed out", ""},
  };
  for (const auto& [reason, host] : rows) CHECK(packages::host_in_reason(reason) == host);
}

TEST_CASE("packages: only a missing wheel gets the fix that kml builds no packages for images") {
  struct Row {
    const char *reason, *fix;
  };
  const Row rows[] = {
      {"Because x==1 has no wheels with a matching platform tag", "a wheel for Python 3.12 on arm64"},
      {"Building source distributions is disabled", "a wheel for Python 3.12 on arm64"},
      {"Failed to fetch: `https://h/x` error sending request", "check the connection"},
      {"Failed to download `x==1` Connection reset by peer (os error 104)", "check the connection"},
      {"Failed to fetch: `https://h/x` HTTP status client error (403 Forbidden)", "log in to the index"},
      {"Hash mismatch for `x==1`", ""},
      {"failed to write to file: No space left on device", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    const std::string fix = packages::fix_for_install(row.reason, "3.12", "arm64");
    CHECK(contains(fix, row.fix));
    CHECK(fix.empty() == (*row.fix == '\0'));
  }
}

TEST_CASE("packages: a lock keeps the hashes that the user's files allow") {
  const std::string a = "sha256:" + std::string(64, 'a'), b = "sha256:" + std::string(64, 'b'),
                    wrong = "sha256:" + std::string(64, '0'), other = "sha384:" + std::string(96, 'c'),
                    lock = "tiny==1.0 ; python_version < '3.9' \\\n    --hash=" + a + " \\\n    --hash=" + b +
                           "\n";
  struct Row {
    std::string requirement, constraint;
    std::vector<std::string> kept;  ///< empty for an Error
  };
  const Row rows[] = {
      {"tiny==1.0", "", {a, b}},
      {"tiny==1.0 --hash=" + a, "", {a}},
      {"Tiny == 1.0.0 --hash " + a, "", {a}},
      {"tiny[x]==1.0 ; python_version < '3.9'\t--hash=" + b, "", {b}},
      {"tiny<2 --hash=" + wrong, "", {}},
      {"tiny===1.0 --hash=" + wrong, "", {}},
      {"tiny==2.0 --hash=" + wrong, "", {}},
      {"tiny==1.0 --hash=" + wrong + " --hash=" + b, "", {wrong, b}},
      {"tiny==1.0", "tiny==1.0 --hash=" + b, {b}},
      {"tiny==1.0 --hash=" + a + " --hash=" + b, "tiny --hash=" + b, {b}},
      {"tiny==1.0 --hash=" + a, "tiny --hash=" + b, {}},
      {"tiny==1.0 --hash=" + other, "", {other}},
      {"tiny==1.0 --hash=" + other + " --hash=" + wrong, "", {wrong, other}},
      {"tiny==1.0 --hash=md5:" + std::string(32, '1'), "", {}},
      {"tiny @ https://h/tiny-1.0.whl#egg=tiny&sha256=" + wrong.substr(7), "", {}},
      {"https://h/tiny-1.0-py3-none-any.whl --hash=" + wrong, "", {}},
      {"big --hash=" + wrong, "", {a, b}},
  };
  // an installation finds the file with the hash `other`, although the index does not have this hash
  const auto installs = [&](const std::string& line) { return !contains(line, other); };
  for (const Row& row : rows) {
    CAPTURE(row.requirement);
    packages::OwnHashes hashes;
    hashes.add_requirement(row.requirement);
    if (!row.constraint.empty()) hashes.add_constraint(row.constraint);
    if (row.kept.empty()) {
      CHECK_THROWS_AS(hashes.kept_in(lock, "r.txt", installs), Error);
      continue;
    }
    CHECK(hashes.kept_in(lock, "r.txt", installs) ==
          "tiny==1.0 ; python_version < '3.9' \\\n    --hash=" + join(row.kept, " \\\n    --hash=") + "\n");
  }
  for (const std::string& text :
       {std::string("sha256:12"), "sha1:" + std::string(40, '0'), std::string(64, '0')})
    CHECK_THROWS_AS(packages::OwnHashes().add_requirement("tiny==1.0 --hash=" + text), Error);
  packages::OwnHashes all;
  all.require_all();
  all.add_requirement("tiny==1.0 --hash=" + a);
  CHECK(contains(all.kept_in(lock, "r.txt", installs), a));
  CHECK_THROWS_AS(all.kept_in(lock + "needed==1 \\\n    --hash=" + a + "\n", "r.txt", installs), Error);
}

}  // namespace resolve_error_test
