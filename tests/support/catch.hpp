// Includes Catch2 version 2 or 3, and adds what version 2 lacks: skipping a test.
#pragma once

#include <iostream>
#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

/// Ends the test case as skipped. ctest recognizes this output (SKIP_REGULAR_EXPRESSION) with either version.
#define OCTAVO_SKIP(reason)                            \
  do {                                                 \
    std::cout << "SKIPPED: " << (reason) << std::endl; \
    SUCCEED("skipped");                                \
    return;                                            \
  } while (false)
