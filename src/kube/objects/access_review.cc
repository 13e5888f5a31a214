#include "kml/kube/objects/access_review.h"

namespace kml::api {

Json access_review(std::string_view verb, std::string_view group, std::string_view plural,
                   std::string_view namespace_name) {
  return {{"apiVersion", kAccessReview.api_version()},
          {"kind", kAccessReview.kind},
          {"spec",
           {{"resourceAttributes",
             {{"verb", verb}, {"group", group}, {"resource", plural}, {"namespace", namespace_name}}}}}};
}

}  // namespace kml::api
