// What the two sources of a build have of each other.
#pragma once

#include "kernel.hpp"

namespace GOOFSPIEL_VARIANT {

BatchCounts solve_batch(const KernelBatch &batch);

// One game by the path of a solve, which is slower and never turns in circles; false when no proof holds.
bool solve_alone(const double *matrix, int m, int n, double &value, double *x, double *y, double &gap);

} // namespace GOOFSPIEL_VARIANT
