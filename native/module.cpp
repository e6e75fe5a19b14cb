// Python bindings: choose a build of the kernel that this CPU can run, check shapes, release the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

extern const Kernel kernel_portable;
#if defined(GOOFSPIEL_X86)
extern const Kernel kernel_avx2;
extern const Kernel kernel_avx512;
#endif

namespace {

// Those that this CPU can run, best first.
std::vector<const Kernel *> runnable() {
  std::vector<const Kernel *> found;
#if defined(GOOFSPIEL_X86)
  if (__builtin_cpu_supports("x86-64-v4"))
    found.push_back(&kernel_avx512);
  if (__builtin_cpu_supports("x86-64-v3"))
    found.push_back(&kernel_avx2);
#endif
  found.push_back(&kernel_portable);
  return found;
}

const Kernel &kernel_named(const std::string &name) {
  for (const Kernel *kernel : runnable())
    if (name.empty() || name == kernel->name)
      return *kernel;
  throw std::invalid_argument("no kernel '" + name + "' runs on this CPU");
}

nb::dict as_dict(const KernelCounts &counts) {
  nb::dict result;
  result["games"] = counts.games;
  result["checks"] = counts.checks;
  result["fallbacks"] = counts.fallbacks;
  result["pivots"] = counts.pivots;
  result["careful"] = counts.careful;
  return result;
}

template <typename T, int D> using In = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <typename T, int D> using Out = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char *what) {
  if (!holds)
    throw std::invalid_argument(what);
}

nb::tuple solve_batch(In<double, 3> matrices, Out<double, 1> values, Out<double, 2> x, Out<double, 2> y,
                      Out<double, 1> gaps, const std::string &kernel) {
  const size_t count = matrices.shape(0), m = matrices.shape(1), n = matrices.shape(2);
  require(m >= 1 && m <= 16 && n >= 1 && n <= 16, "a game has 1 to 16 rows and 1 to 16 columns");
  require(values.shape(0) == count && gaps.shape(0) == count, "one value and one gap for each game");
  require(x.shape(0) == count && x.shape(1) == m && y.shape(0) == count && y.shape(1) == n, "one mix for each game");
  const Kernel &chosen = kernel_named(kernel);
  const KernelBatch batch = {matrices.data(),
                             static_cast<int64_t>(count),
                             static_cast<int>(m),
                             static_cast<int>(n),
                             values.data(),
                             x.data(),
                             y.data(),
                             gaps.data()};
  KernelCounts counts = {};
  int64_t failures;
  {
    nb::gil_scoped_release release;
    failures = chosen.solve_batch(batch, counts);
  }
  return nb::make_tuple(failures, as_dict(counts));
}

template <typename Real>
nb::tuple solve_block(In<Real, 2> children, In<int32_t, 1> child_of, In<double, 1> prizes, In<int32_t, 1> row_of,
                      double share, In<uint8_t, 2> shapes, In<int64_t, 1> offsets, In<uint32_t, 1> codes, int64_t begin,
                      int64_t end, double scale, Out<double, 2> out, const std::string &kernel) {
  const int64_t rounds = static_cast<int64_t>(child_of.shape(0)), rows = static_cast<int64_t>(out.shape(0));
  const int64_t width = static_cast<int64_t>(out.shape(1)), child_width = static_cast<int64_t>(children.shape(1));
  require(prizes.shape(0) == child_of.shape(0) && row_of.shape(0) == child_of.shape(0), "a child and a row each round");
  require(static_cast<int64_t>(shapes.shape(0)) == width && shapes.shape(1) == 2, "a shape for each game");
  require(static_cast<int64_t>(offsets.shape(0)) == width + 1, "an offset for each game, and the end");
  require(0 <= begin && begin <= end && end <= width, "a range of games within the row");
  for (int64_t i = 0; i < rounds; i++) {
    require(child_of.data()[i] >= 0 && child_of.data()[i] < static_cast<int64_t>(children.shape(0)), "children exist");
    require(row_of.data()[i] >= 0 && row_of.data()[i] < rows, "rows exist");
  }
  require(offsets.data()[begin] >= 0 && offsets.data()[end] <= static_cast<int64_t>(codes.shape(0)), "codes exist");
  for (int64_t g = begin; g < end; g++) {
    const int m = shapes.data()[2 * g], n = shapes.data()[2 * g + 1];
    require(m >= 1 && m <= 16 && n >= 1 && n <= 16, "a game has 1 to 16 rows and 1 to 16 columns");
    require(offsets.data()[g + 1] - offsets.data()[g] == m * n, "a code for each cell");
  }
  const Kernel &chosen = kernel_named(kernel);
  KernelCounts counts = {};
  double worst_gap = 0;
  int64_t failures;
  {
    nb::gil_scoped_release release;
    for (int64_t c = offsets.data()[begin]; c < offsets.data()[end]; c++)
      require((codes.data()[c] >> 3) <= child_width && (codes.data()[c] & 3) < 3, "codes name children");
    struct Free {
      void operator()(void *p) const { ::operator delete(p, std::align_val_t(64)); }
    };
    const size_t room = static_cast<size_t>(child_width + 1) * KERNEL_LANES * sizeof(Real);
    std::unique_ptr<void, Free> laid_out(::operator new(room, std::align_val_t(64)));
    std::vector<uint32_t> remembered(static_cast<size_t>(end - begin) * KERNEL_REMEMBERED, 0);
    KernelBlock block = {};
    block.children = children.data();
    block.single = sizeof(Real) == sizeof(float);
    block.child_width = child_width;
    block.rounds = rounds;
    block.child_of = child_of.data();
    block.prizes = prizes.data();
    block.row_of = row_of.data();
    block.share = share;
    block.shapes = shapes.data();
    block.offsets = offsets.data();
    block.codes = codes.data();
    block.begin = begin;
    block.end = end;
    block.scale = scale;
    block.out = out.data();
    block.width = width;
    block.laid_out = laid_out.get();
    block.remembered = remembered.data();
    block.worst_gap = &worst_gap;
    failures = chosen.solve_block(block, counts);
  }
  return nb::make_tuple(failures, worst_gap, as_dict(counts));
}

} // namespace

NB_MODULE(_kernel, module) {
  module.def("kernels", [] {
    std::vector<std::string> names;
    for (const Kernel *kernel : runnable())
      names.push_back(kernel->name);
    return names;
  });
  module.def("solve_batch", &solve_batch, "matrices"_a, "values"_a, "x"_a, "y"_a, "gaps"_a, nb::kw_only(),
             "kernel"_a = "");
  const auto add_solve_block = [&](auto function) {
    module.def("solve_block", function, "children"_a, "child_of"_a, "prizes"_a, "row_of"_a, "share"_a, "shapes"_a,
               "offsets"_a, "codes"_a, "begin"_a, "end"_a, "scale"_a, "out"_a, nb::kw_only(), "kernel"_a = "");
  };
  add_solve_block(&solve_block<double>);
  add_solve_block(&solve_block<float>);
}
