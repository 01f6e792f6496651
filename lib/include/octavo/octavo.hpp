// Everything that Octavo offers; the single headers can be included as well.
#pragma once

#include <octavo/batch_spec.hpp>
#include <octavo/benchmark.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/errors.hpp>
#include <octavo/export.hpp>
#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>
#include <octavo/order.hpp>
#include <octavo/pack.hpp>
#include <octavo/progress.hpp>
#include <octavo/reindex.hpp>
#include <octavo/report.hpp>
#include <octavo/sample.hpp>
#include <octavo/source.hpp>
#include <octavo/statistics.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>
#include <octavo/train.hpp>
#include <octavo/verify.hpp>
#include <octavo/version.hpp>
#include <octavo/view.hpp>
#include <octavo/writer.hpp>
