// Python bindings: choose a build of the kernel that this CPU can run, check shapes, release the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
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
  // Feature by feature, as in CMakeLists.txt: GCC 11 and Clang 17 know no levels such as x86-64-v3 here.
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512)
    found.push_back(&kernel_avx512);
  if (avx2)
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

using CountsDict = nb::typed<nb::dict, nb::str, int64_t>;

CountsDict as_dict(const KernelCounts &counts) {
  nb::dict result;
  result["games"] = counts.games;
  result["saddles"] = counts.saddles;
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

const int32_t *stop_flag(const std::optional<In<int32_t, 1>> &stop) {
  require(!stop || stop->shape(0) == 1, "one number to stop");
  return stop ? stop->data() : nullptr;
}

std::tuple<int64_t, CountsDict> solve_batch(In<double, 3> matrices, Out<double, 1> values, Out<double, 2> x,
                                            Out<double, 2> y, Out<double, 1> gaps, bool independent,
                                            const std::string &kernel) {
  const size_t count = matrices.shape(0), m = matrices.shape(1), n = matrices.shape(2);
  require(m >= 1 && m <= 16 && n >= 1 && n <= 16, "a game has 1 to 16 rows and 1 to 16 columns");
  require(values.shape(0) == count && gaps.shape(0) == count, "one value and one gap for each game");
  require(x.shape(0) == count && x.shape(1) == m && y.shape(0) == count && y.shape(1) == n, "one mix for each game");
  const Kernel &chosen = kernel_named(kernel);
  const KernelBatch batch = {matrices.data(),
                             static_cast<int64_t>(count),
                             static_cast<int>(m),
                             static_cast<int>(n),
                             independent,
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
  return {failures, as_dict(counts)};
}

// The games to solve, which must be games, and whose cells name children up to `last_child`.
KernelGames checked_games(const In<uint8_t, 2> &shapes, const In<int64_t, 1> &offsets, const In<uint32_t, 1> &codes,
                          int64_t begin, int64_t end, int64_t width, int64_t last_child) {
  require(static_cast<int64_t>(shapes.shape(0)) == width && shapes.shape(1) == 2, "a shape for each game");
  require(static_cast<int64_t>(offsets.shape(0)) == width + 1, "an offset for each game, and the end");
  require(0 <= begin && begin <= end && end <= width, "a range of games within the row");
  require(offsets.data()[begin] >= 0 && offsets.data()[end] <= static_cast<int64_t>(codes.shape(0)), "codes exist");
  for (int64_t g = begin; g < end; g++) {
    const int m = shapes.data()[2 * g], n = shapes.data()[2 * g + 1];
    require(m >= 1 && m <= 16 && n >= 1 && n <= 16, "a game has 1 to 16 rows and 1 to 16 columns");
    require(offsets.data()[g + 1] - offsets.data()[g] == m * n, "a code for each cell");
  }
  bool named = true;
  for (int64_t c = offsets.data()[begin]; c < offsets.data()[end]; c++) {
    const Code code = {codes.data()[c]};
    named &= code.child() <= last_child;
    named &= code.sign() <= 1;
  }
  require(named, "codes name children");
  return {shapes.data(), offsets.data(), codes.data(), begin, end};
}

template <typename Real>
std::tuple<int64_t, double, CountsDict>
solve_block(In<Real, 2> children, In<int32_t, 1> child_of, In<double, 1> prizes, In<int32_t, 1> row_of, double share,
            In<uint8_t, 2> shapes, In<int64_t, 1> offsets, In<uint32_t, 1> codes, int64_t begin, int64_t end,
            double scale, Out<double, 2> out, std::optional<In<int32_t, 1>> stop, const std::string &kernel) {
  const int64_t rounds = static_cast<int64_t>(child_of.shape(0)), rows = static_cast<int64_t>(out.shape(0));
  const int64_t width = static_cast<int64_t>(out.shape(1)), child_width = static_cast<int64_t>(children.shape(1));
  require(prizes.shape(0) == child_of.shape(0) && row_of.shape(0) == child_of.shape(0), "a child and a row each round");
  for (int64_t i = 0; i < rounds; i++) {
    require(child_of.data()[i] >= 0 && child_of.data()[i] < static_cast<int64_t>(children.shape(0)), "children exist");
    require(row_of.data()[i] >= 0 && row_of.data()[i] < rows, "rows exist");
  }
  const KernelGames games = checked_games(shapes, offsets, codes, begin, end, width, child_width);
  const Kernel &chosen = kernel_named(kernel);
  KernelCounts counts = {};
  double worst_gap = 0;
  int64_t failures;
  {
    nb::gil_scoped_release release;
    struct Free {
      void operator()(void *p) const { ::operator delete(p, std::align_val_t(64)); }
    };
    const size_t bytes = static_cast<size_t>(child_width + 1) * KERNEL_LANES * sizeof(Real);
    std::unique_ptr<void, Free> laid_out(::operator new(bytes, std::align_val_t(64)));
    std::vector<uint32_t> basis_cache(static_cast<size_t>(end - begin) * KERNEL_BASIS_CACHE, 0);
    KernelBlock block = {};
    block.children = children.data();
    block.single = sizeof(Real) == sizeof(float);
    block.child_width = child_width;
    block.rounds = rounds;
    block.child_of = child_of.data();
    block.prizes = prizes.data();
    block.row_of = row_of.data();
    block.share = share;
    block.games = games;
    block.scale = scale;
    block.out = out.data();
    block.width = width;
    block.laid_out = laid_out.get();
    block.basis_cache = basis_cache.data();
    block.worst_gap = &worst_gap;
    block.stop = stop_flag(stop);
    failures = chosen.solve_block(block, counts);
  }
  return {failures, worst_gap, as_dict(counts)};
}

std::tuple<int64_t, double, CountsDict>
solve_round(In<float, 2> children, int prize, double share, In<uint8_t, 2> shapes, In<int64_t, 1> offsets,
            In<uint32_t, 1> codes, int64_t begin, int64_t end, Out<double, 2> out, Out<float, 1> laid_out,
            Out<uint32_t, 1> basis_cache, std::optional<In<float, 2>> child_draws, std::optional<Out<double, 2>> draws,
            std::optional<In<int32_t, 1>> stop, const std::string &kernel) {
  const int64_t width = static_cast<int64_t>(out.shape(0)), child_count = static_cast<int64_t>(children.shape(0));
  require(children.shape(1) % 2 == 1 && out.shape(1) % 2 == 1, "as many leads below zero as above");
  require(children.shape(1) < 1024 && out.shape(1) < 1024 && prize >= 0 && prize < 1024, "leads below 512");
  const int lead = static_cast<int>(out.shape(1) / 2), child_lead = static_cast<int>(children.shape(1) / 2);
  const KernelGames games = checked_games(shapes, offsets, codes, begin, end, width, child_count - 1);
  const int64_t laid_out_size = child_count * (2 * KernelRound::reach(lead, prize) + 1);
  require(static_cast<int64_t>(laid_out.shape(0)) >= laid_out_size * (draws ? 2 : 1),
          "a buffer to lay out the children");
  require(static_cast<int64_t>(basis_cache.shape(0)) >= (end - begin) * KernelRound::groups(lead) * KERNEL_BASIS_CACHE,
          "a buffer for the bases");
  require(bool(child_draws) == bool(draws), "draws of the children and a buffer for those of the games, or neither");
  if (draws) {
    require(child_draws->shape(0) == children.shape(0) && child_draws->shape(1) == children.shape(1), "a draw a child");
    require(draws->shape(0) == out.shape(0) && draws->shape(1) == out.shape(1), "a draw a game");
  }
  const Kernel &chosen = kernel_named(kernel);
  KernelCounts counts = {};
  double worst_gap = 0;
  KernelRound round = {};
  round.children = children.data();
  round.child_count = child_count;
  round.child_lead = child_lead;
  round.prize = prize;
  round.lead = lead;
  round.share = share;
  round.games = games;
  round.out = out.data();
  round.laid_out = laid_out.data();
  round.basis_cache = basis_cache.data();
  round.worst_gap = &worst_gap;
  round.stop = stop_flag(stop);
  if (draws) {
    round.child_draws = child_draws->data();
    round.draws = draws->data();
    round.laid_out_draws = laid_out.data() + laid_out_size;
  }
  int64_t failures;
  {
    nb::gil_scoped_release release;
    failures = chosen.solve_round(round, counts);
  }
  return {failures, worst_gap, as_dict(counts)};
}

} // namespace

NB_MODULE(_kernel, module) {
  module.def("kernels", [] {
    std::vector<std::string> names;
    for (const Kernel *kernel : runnable())
      names.push_back(kernel->name);
    return names;
  });
  module.attr("LANES") = KERNEL_LANES;
  module.attr("BASIS_CACHE") = KERNEL_BASIS_CACHE;
  // Never converted: a copy of an output would be filled, and the output itself left as it was.
  const auto array = [](const char *name) { return nb::arg(name).noconvert(); };
  module.def("solve_batch", &solve_batch, array("matrices"), array("values"), array("x"), array("y"), array("gaps"),
             nb::kw_only(), "independent"_a = false, "kernel"_a = "");
  const auto add_solve_block = [&](auto function) {
    module.def("solve_block", function, array("children"), array("child_of"), array("prizes"), array("row_of"),
               "share"_a, array("shapes"), array("offsets"), array("codes"), "begin"_a, "end"_a, "scale"_a,
               array("out"), nb::kw_only(), array("stop") = nb::none(), "kernel"_a = "");
  };
  add_solve_block(&solve_block<double>);
  add_solve_block(&solve_block<float>);
  module.def("solve_round", &solve_round, array("children"), "prize"_a, "share"_a, array("shapes"), array("offsets"),
             array("codes"), "begin"_a, "end"_a, array("out"), array("laid_out"), array("basis_cache"), nb::kw_only(),
             array("child_draws") = nb::none(), array("draws") = nb::none(), array("stop") = nb::none(),
             "kernel"_a = "");
}
