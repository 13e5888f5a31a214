#pragma once

#include <doctest/doctest.h>

#include "kml/kube/client/client.h"
#include "support/fake_transport.h"

namespace client_test {

using namespace kml;
using namespace kml::kube;

inline const api::ResourceKind& kJobs = *api::find_kind("batch/v1", "Job");
inline const std::string kPath = "/apis/batch/v1/namespaces/team/jobs";

inline Json job(const std::string& name) {
  return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", name}}}};
}

struct Fixture {
  FakeTransport transport;
  std::vector<std::chrono::milliseconds> pauses;
  std::vector<std::string> told;
  Client client{transport, [this](std::chrono::milliseconds delay) { pauses.push_back(delay); },
                [this](const std::string& why) { told.push_back(why); }};
};

template <typename Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("it succeeded");
  return {ErrorCode::failure, ""};
}

}  // namespace client_test
