// A build of the kernel without Python, for CPUs that are only emulated and for sanitizers: arrays from standard input,
// results to output.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../native/kernel.hpp"

#define JOINED(prefix, variant) prefix##variant
#define NAMED(prefix, variant) JOINED(prefix, variant)
extern const Kernel NAMED(kernel_, GOOFSPIEL_VARIANT);
static const Kernel &kernel = NAMED(kernel_, GOOFSPIEL_VARIANT);

namespace {

template <typename T> std::vector<T> read(int64_t count) {
  std::vector<T> found(static_cast<size_t>(count));
  if (std::fread(found.data(), sizeof(T), found.size(), stdin) != found.size())
    std::exit(3);
  return found;
}

template <typename T> void write(const std::vector<T> &array) {
  std::fwrite(array.data(), sizeof(T), array.size(), stdout);
}

void tell(int64_t failures, int64_t careful) { write(std::vector<int64_t>{failures, careful}); }

// Games of one shape.
void batch() {
  const std::vector<int64_t> head = read<int64_t>(3);
  const int64_t count = head[0], m = head[1], n = head[2];
  const std::vector<double> matrices = read<double>(count * m * n);
  std::vector<double> values(count), x(count * m), y(count * n), gaps(count);
  KernelBatch batch = {};
  batch.matrices = matrices.data();
  batch.count = count;
  batch.m = static_cast<int>(m);
  batch.n = static_cast<int>(n);
  batch.values = values.data();
  batch.x = x.data();
  batch.y = y.data();
  batch.gaps = gaps.data();
  const BatchCounts counts = kernel.solve_batch(batch);
  tell(counts.failures, counts.alone);
  for (const auto *array : {&values, &x, &y, &gaps})
    write(*array);
}

// Rounds of a level, in doubles.
void block() {
  const std::vector<int64_t> head = read<int64_t>(6);
  const int64_t rows = head[0], child_width = head[1], rounds = head[2], width = head[3], cells = head[4];
  const std::vector<double> children = read<double>(rows * child_width);
  const std::vector<int32_t> child_of = read<int32_t>(rounds);
  const std::vector<double> prizes = read<double>(rounds);
  const std::vector<int32_t> row_of = read<int32_t>(rounds);
  const std::vector<double> shares = read<double>(rounds);
  const std::vector<uint8_t> shapes = read<uint8_t>(2 * width);
  const std::vector<int64_t> offsets = read<int64_t>(width + 1);
  const std::vector<uint32_t> codes = read<uint32_t>(cells);
  const double scale = read<double>(1)[0];
  std::vector<double> out(static_cast<size_t>(head[5] * width));
  double worst_gap = 0;
  KernelBlock block = {};
  block.children = children.data();
  block.kind = KernelNumbers::DOUBLES;
  block.unit = 1;
  block.child_width = child_width;
  block.rounds = rounds;
  block.child_of = child_of.data();
  block.prizes = prizes.data();
  block.row_of = row_of.data();
  block.shares = shares.data();
  block.games = {shapes.data(), offsets.data(), codes.data(), 0, width};
  block.scale = scale;
  block.out = out.data();
  block.width = width;
  block.worst_gap = &worst_gap;
  struct alignas(64) Line {
    double numbers[8];
  };
  std::vector<Line> laid_out(static_cast<size_t>((block.last_child() + 1) * kernel.lanes / 8 + 1));
  std::vector<uint32_t> basis_cache(static_cast<size_t>(width * KERNEL_BASIS_CACHE));
  block.laid_out = laid_out.data();
  block.basis_cache = basis_cache.data();
  KernelCounts counts = {};
  const int64_t failures = kernel.solve_block(block, counts);
  tell(failures, counts.careful);
  write(out);
  write(std::vector<double>{worst_gap});
}

} // namespace

int main() {
  char kind;
  while (std::fread(&kind, 1, 1, stdin) == 1)
    kind == 'b' ? batch() : block();
  return 0;
}
