#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "kml/job/kinds/job_kind.h"

int main(int argc, char** argv) {
  kml::api::set_further_kinds(kml::job::described_resources);
  return doctest::Context(argc, argv).run();
}
