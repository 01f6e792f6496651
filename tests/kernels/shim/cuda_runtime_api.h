// The shim has everything in one header.
#pragma once

#include "cuda_runtime.h"
