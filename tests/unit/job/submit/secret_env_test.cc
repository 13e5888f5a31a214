#include "job/submit/secret_env.h"

#include <doctest/doctest.h>

#include "kml/job/submit/secret_text.h"

namespace kml::job::secret_env_test {

TEST_CASE("secret env: recognizes names and values that look like secrets") {
  struct Case {
    const char* name;
    const char* value;
    bool is_secret;
  };
  const Case cases[] = {
      {"HF_TOKEN", "x", true},
      {"DB_PASSWORD", "x", true},
      {"PGPASSWORD", "x", true},
      {"AWS_SECRET_ACCESS_KEY", "x", true},
      {"DATABASE_URL", "x", true},
      {"GH_PAT", "x", true},
      {"COOKIE", "x", true},
      {"MYSQL_PWD", "x", true},
      {"db-pass", "x", true},
      {"SENTRY_DSN", "x", true},
      {"REDIS", "redis://:s3cret@host:6379/0", true},
      {"TRACKING", "https://ann:s3cret@mlflow.example.com", true},
      {"ARGUMENTS", "--db postgres://a:b@c/d --fast", true},
      {"CLONE", "ghp_0123456789abcdef0123", true},
      {"PWD", "/home/ann", false},
      {"OLDPATH", "/usr/bin", false},
      {"TOKENIZERS_PARALLELISM", "true", false},
      {"NUM_TOKENS", "12", false},
      {"AUTHOR", "ann", false},
      {"TRACKING", "https://ann@mlflow.example.com:8080/a:b@c", false},
      {"MASTER", "tcp://host:29500", false},
      {"MODEL", "hf_small", false},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.name));
    CAPTURE(std::string(one.value));
    CHECK(is_secret(one.name, one.value) == one.is_secret);
  }
}

TEST_CASE("secret env: a value that looks like a secret is removed, others stay") {
  Json pod =
      parse_json(R"({"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": {"containers": [
    {"env": [{"name": "STORE", "value": "s3://a:b@c"}, {"name": "LR", "value": "0.1"}]}]}}}})",
                 "job");
  take_out_secrets(pod);
  CHECK(pod.dump().find("a:b") == std::string::npos);
  CHECK(pod.dump().find("0.1") != std::string::npos);
}

}  // namespace kml::job::secret_env_test
