// A build without libcurl.
#include <octavo/errors.hpp>
#include <octavo/remote.hpp>

#include "catch.hpp"

TEST_CASE("without libcurl, a URL is refused with the package to install", "[unit][remote]") {
  CHECK_THROWS_AS(octavo::remote::open_source("https://localhost/a.h5"), octavo::Unavailable);
  CHECK_THROWS_WITH(octavo::remote::open_source("https://user:secret@localhost/a.h5?signature=secret"),
                    ContainsSubstring("install libcurl4-openssl-dev") && !ContainsSubstring("secret"));
}
