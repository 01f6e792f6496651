// Catch2 2 and 3 behind one include, and the one thing that version 2 lacks: a test that says it was skipped.
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

/// Ends the test case as skipped: ctest counts it by this line (SKIP_REGULAR_EXPRESSION), with either version.
#define OCTAVO_SKIP(reason)                            \
  do {                                                 \
    std::cout << "SKIPPED: " << (reason) << std::endl; \
    SUCCEED("skipped");                                \
    return;                                            \
  } while (false)
