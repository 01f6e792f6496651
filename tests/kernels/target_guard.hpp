// Restores the selection of instruction sets at the end of a test.
#pragma once

#include <hwy/targets.h>

namespace octavo::test {

struct TargetGuard {
  ~TargetGuard() { hwy::SetSupportedTargetsForTest(0); }
};

}  // namespace octavo::test
