// Python bindings: check shapes, release the GIL.
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

#include "builds.hpp"
#include "kernel.hpp"
#include "regret.hpp"
#include "successors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

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

std::tuple<int64_t, int64_t> solve_batch(In<double, 3> matrices, Out<double, 1> values, Out<double, 2> x,
                                         Out<double, 2> y, Out<double, 1> gaps, const std::string &kernel) {
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
  nb::gil_scoped_release release;
  const BatchCounts counts = chosen.solve_batch(batch);
  return {counts.failures, counts.alone};
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

// How children are kept in an array of these.
template <typename Element> constexpr KernelNumbers NUMBERS = KernelNumbers::DOUBLES;
template <> constexpr KernelNumbers NUMBERS<float> = KernelNumbers::FLOATS;
template <> constexpr KernelNumbers NUMBERS<int32_t> = KernelNumbers::INTS;
template <> constexpr KernelNumbers NUMBERS<uint8_t> = KernelNumbers::THREE_BYTES;

template <typename Real>
std::tuple<int64_t, double, CountsDict>
solve_block(In<Real, 2> children, In<int32_t, 1> child_of, In<double, 1> prizes, In<int32_t, 1> row_of,
            In<double, 1> shares, In<uint8_t, 2> shapes, In<int64_t, 1> offsets, In<uint32_t, 1> codes, int64_t begin,
            int64_t end, double scale, Out<double, 2> out, double unit, std::optional<In<Real, 2>> tied,
            std::optional<In<int32_t, 1>> tied_of, std::optional<In<int32_t, 1>> stop, const std::string &kernel) {
  const int64_t rounds = static_cast<int64_t>(child_of.shape(0)), rows = static_cast<int64_t>(out.shape(0));
  const int64_t width = static_cast<int64_t>(out.shape(1));
  require(prizes.shape(0) == child_of.shape(0) && row_of.shape(0) == child_of.shape(0), "a child and a row each round");
  require(shares.shape(0) == child_of.shape(0), "a share each round");
  require(bool(tied) == bool(tied_of), "children after a tie and which of them, or neither");
  const auto rows_exist = [&](const In<int32_t, 1> &which, const In<Real, 2> &there) {
    require(which.shape(0) == child_of.shape(0), "a child and a row each round");
    for (int64_t i = 0; i < rounds; i++)
      require(which.data()[i] >= 0 && which.data()[i] < static_cast<int64_t>(there.shape(0)), "children exist");
  };
  rows_exist(child_of, children);
  for (int64_t i = 0; i < rounds; i++)
    require(row_of.data()[i] >= 0 && row_of.data()[i] < rows, "rows exist");
  KernelBlock block = {};
  block.children = children.data();
  block.kind = NUMBERS<Real>;
  block.unit = unit;
  const size_t elements = block.kind == KernelNumbers::THREE_BYTES ? 3 : 1;
  require(children.shape(1) % elements == 0 && (!tied || tied->shape(1) % elements == 0), "three bytes each");
  block.child_width = static_cast<int64_t>(children.shape(1) / elements);
  if (tied) {
    rows_exist(*tied_of, *tied);
    block.tied = tied->data();
    block.tied_width = static_cast<int64_t>(tied->shape(1) / elements);
    block.tied_of = tied_of->data();
    require(block.tied_width <= block.child_width, "no more children after a tie than else");
  }
  block.games = checked_games(shapes, offsets, codes, begin, end, width, block.last_child());
  const Kernel &chosen = kernel_named(kernel);
  KernelCounts counts = {};
  double worst_gap = 0;
  int64_t failures;
  {
    nb::gil_scoped_release release;
    struct Free {
      void operator()(void *p) const { ::operator delete(p, std::align_val_t(64)); }
    };
    const size_t bytes = static_cast<size_t>(block.last_child() + 1) * KERNEL_LANES * (sizeof(Real) > 4 ? 8 : 4);
    std::unique_ptr<void, Free> laid_out(::operator new(bytes, std::align_val_t(64)));
    std::vector<uint32_t> basis_cache(static_cast<size_t>(end - begin) * KERNEL_BASIS_CACHE, 0);
    block.rounds = rounds;
    block.child_of = child_of.data();
    block.prizes = prizes.data();
    block.row_of = row_of.data();
    block.shares = shares.data();
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

template <typename Real> using Leads = In<Real, 2>;

template <typename Real>
KernelChildren checked_children(const Leads<Real> &values, const std::optional<Leads<float>> &draws) {
  require(values.shape(0) > 0 && values.shape(1) % 2 == 1, "as many leads below zero as above");
  require(values.shape(1) < 1024, "leads below 512");
  require(!draws || (draws->shape(0) == values.shape(0) && draws->shape(1) == values.shape(1)), "a draw a child");
  return {values.data(), draws ? draws->data() : nullptr, static_cast<int64_t>(values.shape(0)),
          static_cast<int>(values.shape(1) / 2)};
}

template <typename Real>
std::tuple<int64_t, double, CountsDict>
solve_round(Leads<Real> children, int prize, double share, In<uint8_t, 2> shapes, In<int64_t, 1> offsets,
            In<uint32_t, 1> codes, int64_t begin, int64_t end, Out<double, 2> out, Out<uint32_t, 1> laid_out,
            Out<uint32_t, 1> basis_cache, double unit, std::optional<Leads<float>> child_draws,
            std::optional<Leads<Real>> tied, std::optional<Leads<float>> tied_draws,
            std::optional<Out<double, 2>> draws, std::optional<In<int32_t, 1>> stop, const std::string &kernel) {
  const int64_t width = static_cast<int64_t>(out.shape(0));
  require(out.shape(1) % 2 == 1, "as many leads below zero as above");
  require(out.shape(1) < 1024 && prize >= 0 && prize < 1024, "leads below 512");
  require(bool(child_draws) == bool(draws), "draws of the children and a buffer for those of the games, or neither");
  require(!draws || NUMBERS<Real> == KernelNumbers::FLOATS, "draws with floats only");
  require(bool(tied_draws) == (tied && draws), "draws of the children after a tie, like those of the others");
  KernelRound round = {};
  round.won = checked_children(children, child_draws);
  if (tied) {
    round.tied = checked_children(*tied, tied_draws);
    require(round.tied.count <= round.won.count, "no more children after a tie than else");
  }
  const Kernel &chosen = kernel_named(kernel);
  const int lead = static_cast<int>(out.shape(1) / 2);
  const int64_t laid_out_size = (round.last_child() + 1) * (2 * KernelRound::reach(lead, prize, chosen.lanes) + 1);
  require(static_cast<int64_t>(laid_out.shape(0)) >= laid_out_size * (draws ? 2 : 1),
          "a buffer to lay out the children");
  require(static_cast<int64_t>(basis_cache.shape(0)) >= (end - begin) * KernelRound::groups(lead) * KERNEL_BASIS_CACHE,
          "a buffer for the bases");
  require(!draws || (draws->shape(0) == out.shape(0) && draws->shape(1) == out.shape(1)), "a draw a game");
  KernelCounts counts = {};
  double worst_gap = 0;
  round.whole = NUMBERS<Real> == KernelNumbers::INTS;
  round.unit = unit;
  round.prize = prize;
  round.lead = lead;
  round.share = share;
  round.games = checked_games(shapes, offsets, codes, begin, end, width, round.last_child());
  round.out = out.data();
  round.laid_out = laid_out.data();
  round.basis_cache = basis_cache.data();
  round.worst_gap = &worst_gap;
  round.stop = stop_flag(stop);
  if (draws) {
    round.draws = draws->data();
    round.laid_out_draws = reinterpret_cast<float *>(laid_out.data() + laid_out_size);
  }
  int64_t failures;
  {
    nb::gil_scoped_release release;
    failures = chosen.solve_round(round, counts);
  }
  return {failures, worst_gap, as_dict(counts)};
}

void successor_codes(In<uint16_t, 1> mine, In<uint16_t, 1> theirs, In<uint16_t, 1> rows, In<uint16_t, 1> columns,
                     In<int64_t, 1> offsets, In<int32_t, 1> ranks, In<uint8_t, 2> squeezed, In<int64_t, 1> starts,
                     In<int64_t, 1> halves, int64_t equal, Out<uint32_t, 1> codes) {
  const size_t count = mine.shape(0);
  require(theirs.shape(0) == count && rows.shape(0) == count && columns.shape(0) == count, "two hands each");
  require(offsets.shape(0) == count + 1, "an offset for each matchup, and the end");
  require(ranks.shape(0) == 1 << 16 && squeezed.shape(0) == 256 && squeezed.shape(1) == 256, "tables of masks");
  require(starts.shape(0) > 0 && starts.shape(0) == halves.shape(0), "a first number and a half, by unmatched cards");
  const int level = static_cast<int>(starts.shape(0)) - 1;
  for (size_t i = 0; i < count; i++) {
    const unsigned m = mine.data()[i], t = theirs.data()[i], r = rows.data()[i], c = columns.data()[i];
    require(__builtin_popcount(m) == level + 1 && __builtin_popcount(t) == level + 1, "hands of one size");
    require(!(r & ~m) && !(c & ~t), "bids of the hands");
    require(offsets.data()[i + 1] - offsets.data()[i] == __builtin_popcount(r) * __builtin_popcount(c),
            "a code for each cell");
  }
  require(offsets.data()[0] == 0 && offsets.data()[count] == static_cast<int64_t>(codes.shape(0)), "codes exist");
  nb::gil_scoped_release release;
  const Numbering below = {ranks.data(), squeezed.data(), starts.data(), halves.data(), level, equal};
  uint32_t *out = codes.data();
  for (size_t i = 0; i < count; i++)
    out = write_codes(below, mine.data()[i], theirs.data()[i], rows.data()[i], columns.data()[i], out);
}

Decisions checked_decisions(const In<int64_t, 1> &firsts, const In<int64_t, 1> &parents) {
  const int64_t count = static_cast<int64_t>(parents.shape(0));
  require(static_cast<int64_t>(firsts.shape(0)) == count + 1 && firsts.data()[0] == 0, "a first choice a decision");
  for (int64_t i = 0; i < count; i++) {
    require(firsts.data()[i] < firsts.data()[i + 1], "a choice a decision");
    require(parents.data()[i] >= -1 && parents.data()[i] < firsts.data()[i], "parents come first");
  }
  return {count, firsts.data(), parents.data()};
}

Payments checked_payments(const Decisions &tree, int64_t first, const In<int64_t, 1> &starts,
                          const In<int64_t, 1> &ends, const In<uint32_t, 1> &pairs, const In<double, 5> &payments) {
  const Payments p = {first,
                      static_cast<int64_t>(payments.shape(0)),
                      static_cast<int64_t>(payments.shape(1)),
                      static_cast<int64_t>(payments.shape(3)),
                      static_cast<int64_t>(payments.shape(2)),
                      starts.data(),
                      ends.data(),
                      pairs.data(),
                      payments.data()};
  require(static_cast<int64_t>(starts.shape(0)) == p.groups + 1 && starts.data()[0] == 0, "a start a group");
  for (int64_t g = 0; g < p.groups; g++)
    require(starts.data()[g] <= starts.data()[g + 1], "groups in order");
  require(static_cast<int64_t>(ends.shape(0)) == p.rows(), "an end a row");
  require(payments.shape(3) == payments.shape(4), "as many choices for both");
  require(first >= 0 && first + p.scenes * p.rows() * p.width == tree.sequences(), "rows are the last choices");
  for (int64_t g = 0, k = 0; g < p.groups; g++) {
    const int64_t others = starts.data()[p.groups - g] - starts.data()[p.groups - 1 - g];
    for (int64_t row = starts.data()[g]; row < starts.data()[g + 1]; row++) {
      require(ends.data()[row] >= k && ends.data()[row] <= static_cast<int64_t>(pairs.shape(0)), "pairs exist");
      for (; k < ends.data()[row]; k++)
        require((pairs.data()[k] >> 16) < others && (pairs.data()[k] & 0xffff) < p.matrices, "pairs meet");
    }
  }
  return p;
}

void check_sequences(const Decisions &tree, size_t one, size_t other, int threads) {
  const size_t size = static_cast<size_t>(tree.sequences());
  require(one == size && other == size, "an entry a sequence");
  require(threads >= 1 && threads <= 1024, "1 to 1024 threads");
}

double best_reply_to(In<int64_t, 1> firsts, In<int64_t, 1> parents, int64_t first, In<int64_t, 1> starts,
                     In<int64_t, 1> ends, In<uint32_t, 1> pairs, In<double, 5> payments, In<double, 1> reach,
                     Out<double, 1> gains, int threads) {
  const Decisions tree = checked_decisions(firsts, parents);
  const Payments pay = checked_payments(tree, first, starts, ends, pairs, payments);
  check_sequences(tree, reach.shape(0), gains.shape(0), threads);
  nb::gil_scoped_release release;
  return best_reply(tree, pay, reach.data(), gains.data(), threads);
}

// Iterations `begin` + 1 … `end`. A state has four rows for each learner: regrets, predicted, mixes, reach; the last
// two follow from the others. One learner plays against itself, two take turns.
void match_regrets(In<int64_t, 1> firsts, In<int64_t, 1> parents, int64_t first, In<int64_t, 1> starts,
                   In<int64_t, 1> ends, In<uint32_t, 1> pairs, In<double, 5> payments, Out<double, 2> state,
                   Out<double, 1> average, Out<double, 1> gains, int method, int64_t begin, int64_t end, int threads) {
  const Decisions tree = checked_decisions(firsts, parents);
  const Payments pay = checked_payments(tree, first, starts, ends, pairs, payments);
  check_sequences(tree, average.shape(0), gains.shape(0), threads);
  const int64_t size = tree.sequences(), learners = static_cast<int64_t>(state.shape(0)) / 4;
  require(state.shape(0) == 4 || state.shape(0) == 8, "four rows for one learner or two");
  require(static_cast<int64_t>(state.shape(1)) == size, "an entry a sequence");
  require(method >= 0 && method <= 3 && begin >= 0, "a method and an iteration");
  nb::gil_scoped_release release;
  const Method how = static_cast<Method>(method);
  std::vector<Learner> all;
  for (int64_t l = 0; l < learners; l++) {
    double *row = state.data() + 4 * l * size;
    all.push_back({row, how == Method::PREDICTIVE ? row + size : row, row + 2 * size, row + 3 * size});
    next_mixes(tree, all.back(), 0, average.data());
  }
  for (int64_t t = begin + 1; t <= end; t++)
    for (int64_t l = 0; l < learners; l++) {
      gains_against(pay, all[learners - 1 - l].reach, gains.data(), threads);
      add_regrets(tree, all[l], how, static_cast<double>(t), gains.data());
      next_mixes(tree, all[l], average_weight(how, static_cast<double>(t)), average.data());
    }
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
  module.attr("NEIGHBOURS") = KERNEL_NEIGHBOURS;
  // Never converted: a copy of an output would be filled, and the output itself left as it was.
  const auto array = [](const char *name) { return nb::arg(name).noconvert(); };
  module.def("solve_batch", &solve_batch, array("matrices"), array("values"), array("x"), array("y"), array("gaps"),
             nb::kw_only(), "kernel"_a = "");
  module.def("successor_codes", &successor_codes, array("mine"), array("theirs"), array("rows"), array("columns"),
             array("offsets"), array("ranks"), array("squeezed"), array("starts"), array("halves"), "equal"_a,
             array("codes"));
  const auto add_solve_block = [&](auto function) {
    module.def("solve_block", function, array("children"), array("child_of"), array("prizes"), array("row_of"),
               array("shares"), array("shapes"), array("offsets"), array("codes"), "begin"_a, "end"_a, "scale"_a,
               array("out"), nb::kw_only(), "unit"_a = 1.0, array("tied") = nb::none(), array("tied_of") = nb::none(),
               array("stop") = nb::none(), "kernel"_a = "");
  };
  add_solve_block(&solve_block<double>);
  add_solve_block(&solve_block<float>);
  add_solve_block(&solve_block<int32_t>);
  add_solve_block(&solve_block<uint8_t>);
  const auto add_solve_round = [&](auto function) {
    module.def("solve_round", function, array("children"), "prize"_a, "share"_a, array("shapes"), array("offsets"),
               array("codes"), "begin"_a, "end"_a, array("out"), array("laid_out"), array("basis_cache"), nb::kw_only(),
               "unit"_a = 1.0, array("child_draws") = nb::none(), array("tied") = nb::none(),
               array("tied_draws") = nb::none(), array("draws") = nb::none(), array("stop") = nb::none(),
               "kernel"_a = "");
  };
  add_solve_round(&solve_round<float>);
  add_solve_round(&solve_round<int32_t>);
  module.def("best_reply_to", &best_reply_to, array("firsts"), array("parents"), "first"_a, array("starts"),
             array("ends"), array("pairs"), array("payments"), array("reach"), array("gains"), nb::kw_only(),
             "threads"_a = 1);
  module.def("match_regrets", &match_regrets, array("firsts"), array("parents"), "first"_a, array("starts"),
             array("ends"), array("pairs"), array("payments"), array("state"), array("average"), array("gains"),
             nb::kw_only(), "method"_a, "begin"_a, "end"_a, "threads"_a = 1);
}
