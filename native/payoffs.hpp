// What follows a pair of bids: children laid out in lanes, and the cells that their codes make of them.
#pragma once

#include "kernel.hpp"
#include "lanes.hpp"

#include <cstddef>

namespace GOOFSPIEL_VARIANT {

// One game: its shape, the codes of its cells, row-major, and how far ahead are those of as many cells of the next one.
struct GameCodes {
  int m, n;
  const uint32_t *first;
  int64_t ahead;

  GameCodes(const KernelGames &games, int64_t g)
      : m(games.shapes[2 * g]), n(games.shapes[2 * g + 1]), first(games.codes + games.offsets[g]),
        ahead(games.offsets[g + 1] + m * n <= games.offsets[games.end] ? m * n : 0) {}
};

// A cell in all lanes. The next game's children are fetched while this game's are used.
template <typename Payoffs> inline auto payoff(const Payoffs &payoffs, const uint32_t *code, int64_t ahead) {
  __builtin_prefetch(payoffs.child(Code{code[ahead]}));
  return payoffs.cell(Code{*code});
}

// Rounds as lanes: the values of a child in eight rounds side by side, in the precision that they are stored in.
template <typename Real> struct Lanes {
  Real lane[LANES];
  chain lo() const { return load(lane); }
  chain hi() const { return load(lane + CHAIN); }
};

// The upper three bytes of an int.
struct ThreeBytes {
  uint8_t bytes[3];
  operator int32_t() const {
    return static_cast<int32_t>(static_cast<uint32_t>(bytes[0]) << 8 | static_cast<uint32_t>(bytes[1]) << 16 |
                                static_cast<uint32_t>(bytes[2]) << 24);
  }
};

template <typename Stored> struct LaidOut {
  using type = Stored;
};
template <> struct LaidOut<ThreeBytes> {
  using type = int32_t;
};

// Lay out some rows of equal width: one for each child.
template <typename Stored, typename Real>
static void lay_out(const void *rows, int64_t width, const int32_t *row_of, int here, Lanes<Real> *out) {
  const Stored *row[LANES];
  for (int l = 0; l < LANES; l++)
    row[l] = static_cast<const Stored *>(rows) + row_of[l < here ? l : 0] * width;
  for (int64_t c = 0; c < width; c++)
    for (int l = 0; l < LANES; l++)
      out[c].lane[l] = row[l][c];
}

// The children of rounds from `first` on, and a last one of zeros; then the same for those after a tie.
template <typename Stored, typename Real>
static void lay_out(const KernelBlock &block, int64_t first, int here, Lanes<Real> *out) {
  lay_out<Stored>(block.children, block.child_width, block.child_of + first, here, out);
  out[block.child_width] = {};
  if (block.tied) {
    Lanes<Real> *tied = out + block.child_width + 1;
    lay_out<Stored>(block.tied, block.tied_width, block.tied_of + first, here, tied);
    tied[block.child_width] = {};
  }
}

// The child, or its negative, and what is won: each lane has its own prize.
template <typename Real> class RoundPayoffs {
public:
  RoundPayoffs(const Lanes<Real> *laid_out, double unit, vec prize) : laid_out_(laid_out), prize_(prize) {
    for (Code kind = {0}; kind.bits < Code::KINDS; kind.bits++)
      terms_[kind.bits] = {kind.negated() ? -unit : unit, static_cast<double>(kind.sign())};
  }

  const Lanes<Real> *child(Code code) const { return laid_out_ + code.child(); }

  vec cell(Code code) const {
    const Term &term = terms_[code.kind()];
    const chain sign = fill(term.sign), won = fill(term.won);
    return {child(code)->lo() * sign + prize_.lo * won, child(code)->hi() * sign + prize_.hi * won};
  }

private:
  struct Term {
    double sign, won;
  };
  Term terms_[Code::KINDS]; // at no offset: it takes fewer instructions to find one
  const Lanes<Real> *laid_out_;
  vec prize_;
};

// Leads as lanes: the children's numbers by lead, far enough to both sides that every lane of every group finds its
// own: where a lead is larger than all that is left to win, the game is decided.
template <typename Real>
static void lay_out(const KernelChildren &children, const Real *values, Real decided, int64_t last, int reach,
                    Real *out) {
  const int stored = children.lead < reach ? children.lead : reach;
  for (int64_t c = 0; c < children.count; c++) {
    const Real *middle = values + c * (2 * children.lead + 1) + children.lead;
    Real *row = out + (c < children.count - 1 ? c : last) * (2 * reach + 1) + reach;
    for (int d = stored + 1; d <= reach; d++) {
      row[-d] = -decided;
      row[d] = decided;
    }
    __builtin_memcpy(row - stored, middle - stored, static_cast<std::size_t>(2 * stored + 1) * sizeof(Real));
  }
}

// The children of a round, then those after a tie.
template <typename Real> static void lay_out(const KernelRound &round) {
  const int reach = KernelRound::reach(round.lead, round.prize, LANES);
  const int64_t last = round.won.count - 1, tied = round.won.count * (2 * reach + 1);
  const Real decided = static_cast<Real>(1 / round.unit);
  Real *out = static_cast<Real *>(round.laid_out);
  lay_out(round.won, static_cast<const Real *>(round.won.values), decided, last, reach, out);
  if (round.tied.values)
    lay_out(round.tied, static_cast<const Real *>(round.tied.values), decided, last, reach, out + tied);
  if (round.draws)
    lay_out(round.won, round.won.draws, 0.0f, last, reach, round.laid_out_draws);
  if (round.draws && round.tied.draws)
    lay_out(round.tied, round.tied.draws, 0.0f, last, reach, round.laid_out_draws + tied);
}

// The child at the lead after the bids. Its mirror image has the negative of its value, and the same probability of a
// draw, at the negative of its lead.
template <typename Real> class LeadPayoffs {
public:
  // Of the lanes from the lead with the index `first` on.
  LeadPayoffs(const KernelRound &round, int first, bool draws)
      : laid_out_(static_cast<const Real *>(draws ? round.laid_out_draws : round.laid_out)) {
    const int reach = KernelRound::reach(round.lead, round.prize, LANES);
    stride_ = 2 * reach + 1;
    for (Code kind = {0}; kind.bits < Code::KINDS; kind.bits++) {
      const int after = first - round.lead + round.prize * kind.sign(); // the first lane's lead after the bids
      if (kind.negated())
        terms_[kind.bits] = {LANES - 1 - ascending<ints>(), ints{} - (draws ? 0 : 1), reach - after - (LANES - 1)};
      else
        terms_[kind.bits] = {ascending<ints>(), ints{}, reach + after};
    }
  }

  const Real *child(Code code) const { return laid_out_ + code.child() * stride_ + terms_[code.kind()].lowest; }

  typename ShortLanes<Real>::type cell(Code code) const {
    const Term &term = terms_[code.kind()];
    return arrange(load_short(child(code)), term.order, term.flip);
  }

private:
  struct Term {
    ints order, flip;
    int64_t lowest; // where the lanes' leads start
  };
  Term terms_[Code::KINDS]; // at no offset, as above
  const Real *laid_out_;
  int64_t stride_;
};

} // namespace GOOFSPIEL_VARIANT
