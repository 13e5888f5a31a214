#include "kml/job/tables/job_tables.h"

#include <doctest/doctest.h>

namespace job_tables_test {

using namespace kml;

TEST_CASE("job_tables: a name begins with the word for the object's kind, unless the kind is Job") {
  struct Row {
    const char *kind, *shown;
  };
  for (const Row& row :
       {Row{"Job", "bert"}, Row{"PyTorchJob", "pytorchjob/bert"}, Row{"VolcanoJob", "vcjob/bert"},
        Row{"RayCluster", "raycluster/bert"}, Row{"Pod", "pod/bert"}, Row{"Unheard", "bert"}}) {
    CAPTURE(row.kind);
    job::JobView view;
    view.kind = row.kind;
    view.name = "bert";
    CHECK(ui::kind_and_name(view) == row.shown);
  }
}

}  // namespace job_tables_test
