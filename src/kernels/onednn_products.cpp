#include "kernels/onednn_products.hpp"

#ifdef MINNOW_HAS_ONEDNN
#include <fmt/format.h>

#include "minnow/base/error.hpp"

namespace minnow::kernels {
namespace {

// Shapes that a thread keeps at most, then it forgets all: a training step has some dozens, generation some hundreds.
constexpr std::size_t kMostShapes = 512;

void require_done(dnnl_status_t status, const char* what) {
  if (status == dnnl_success) return;
  throw MemoryError(
      fmt::format("[gemm] oneDNN must be able to {}; it returned status {}{}. Hint: raise ulimit -v, or "
                  "set compute.gemm = \"auto\"",
                  what, static_cast<int>(status), status == dnnl_out_of_memory ? ", out of memory" : ""));
}

/// A matrix of `rows` x `cols` as an operand, stored with the leading dimension `ld`, transposed or not.
dnnl_memory_desc_t matrix(Index rows, Index cols, Index ld, bool transposed, dnnl_data_type_t type) {
  const dnnl_dims_t sizes = {rows, cols};
  const dnnl_dims_t strides = {transposed ? 1 : ld, transposed ? ld : 1};
  dnnl_memory_desc_t made;
  require_done(onednn_library().memory_desc_init_by_strides(&made, 2, sizes, type, strides), "describe a matrix");
  return made;
}

/// Scratch given by the caller (with oneDNN's own, threads that share a primitive spoil each other's results), and
/// whether C is added to.
class ProductAttributes {
 public:
  explicit ProductAttributes(bool add) {
    const OnednnLibrary& dnnl = onednn_library();
    require_done(dnnl.primitive_attr_create(&attributes_), "make attributes");
    (void)dnnl.primitive_attr_set_scratchpad_mode(attributes_, dnnl_scratchpad_mode_user);
    if (!add) return;
    dnnl_post_ops_t sum = nullptr;
    if (dnnl.post_ops_create(&sum) != dnnl_success) return;
    (void)dnnl.post_ops_append_sum(sum, 1.0F);
    (void)dnnl.primitive_attr_set_post_ops(attributes_, sum);
    (void)dnnl.post_ops_destroy(sum);
  }
  ~ProductAttributes() { (void)onednn_library().primitive_attr_destroy(attributes_); }
  ProductAttributes(const ProductAttributes&) = delete;
  ProductAttributes& operator=(const ProductAttributes&) = delete;
  [[nodiscard]] const_dnnl_primitive_attr_t get() const { return attributes_; }

 private:
  dnnl_primitive_attr_t attributes_ = nullptr;
};

dnnl_memory_t handle_for(const dnnl_memory_desc_t& description) {
  dnnl_memory_t made = nullptr;
  require_done(onednn_library().memory_create(&made, &description, onednn_library().engine, DNNL_MEMORY_NONE),
               "make a handle");
  return made;
}

}  // namespace

std::size_t OnednnShapeHash::operator()(const OnednnShape& x) const {
  // FNV-1a, 64 bits, over whole numbers: http://www.isthe.com/chongo/tech/comp/fnv
  std::uint64_t hash = 0xcbf29ce484222325U;
  const int bits = (x.trans_a ? 1 : 0) + (x.trans_b ? 2 : 0) + (x.bf16 ? 4 : 0) + (x.add ? 8 : 0);
  for (const Index part : {Index{bits}, x.m, x.n, x.k, x.lda, x.ldb, x.ldc}) {
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x100000001b3U;
  }
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

OnednnProducts::~OnednnProducts() {
  forget_all();
  if (stream_ != nullptr) (void)onednn_library().stream_destroy(stream_);
}

void OnednnProducts::forget_all() {
  const OnednnLibrary& dnnl = onednn_library();
  for (const auto& [shape, ready] : ready_) {
    for (dnnl_memory_t memory : {ready.a, ready.b, ready.c, ready.scratch})
      if (memory != nullptr) (void)dnnl.memory_destroy(memory);
    if (ready.primitive != nullptr) (void)dnnl.primitive_destroy(ready.primitive);
  }
  ready_.clear();
}

void OnednnProducts::fill(const OnednnShape& shape, Ready& ready, dnnl_primitive_desc_t description) {
  const OnednnLibrary& dnnl = onednn_library();
  const char* kernel = "";
  (void)dnnl.primitive_desc_query(description, dnnl_query_impl_info_str, 0, static_cast<void*>(&kernel));
  ready.kernel = kernel;
  require_done(dnnl.primitive_create(&ready.primitive, description), "make a product");
  const dnnl_memory_desc_t* const scratch = dnnl.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  ready.scratch = handle_for(*scratch);
  const std::size_t lines = (dnnl.memory_desc_get_size(scratch) + sizeof(Line) - 1) / sizeof(Line);
  if (scratch_.size() < lines) scratch_.resize(lines);
  const dnnl_data_type_t type = shape.bf16 ? dnnl_bf16 : dnnl_f32;
  ready.a = handle_for(matrix(shape.m, shape.k, shape.lda, shape.trans_a, type));
  ready.b = handle_for(matrix(shape.k, shape.n, shape.ldb, shape.trans_b, type));
  ready.c = handle_for(matrix(shape.m, shape.n, shape.ldc, false, dnnl_f32));
}

void OnednnProducts::make(const OnednnShape& shape, Ready& ready) {
  const OnednnLibrary& dnnl = onednn_library();
  if (stream_ == nullptr) {
    require_done(dnnl.stream_create(&stream_, dnnl.engine, dnnl_stream_default_flags), "make a stream");
  }
  const dnnl_data_type_t type = shape.bf16 ? dnnl_bf16 : dnnl_f32;
  const dnnl_memory_desc_t a = matrix(shape.m, shape.k, shape.lda, shape.trans_a, type);
  const dnnl_memory_desc_t b = matrix(shape.k, shape.n, shape.ldb, shape.trans_b, type);
  const dnnl_memory_desc_t c = matrix(shape.m, shape.n, shape.ldc, false, dnnl_f32);
  dnnl_matmul_desc_t product;
  require_done(dnnl.matmul_desc_init(&product, &a, &b, nullptr, &c), "describe a product");
  const ProductAttributes attributes(shape.add);
  dnnl_primitive_desc_t description = nullptr;
  const dnnl_status_t status =
      dnnl.primitive_desc_create(&description, &product, attributes.get(), dnnl.engine, nullptr);
  if (status == dnnl_unimplemented) return;
  require_done(status, "plan a product");
  try {
    fill(shape, ready, description);
  } catch (...) {
    (void)dnnl.primitive_desc_destroy(description);
    throw;
  }
  (void)dnnl.primitive_desc_destroy(description);
}

OnednnProducts::Ready& OnednnProducts::find(const OnednnShape& shape) {
  const auto known = ready_.find(shape);
  if (known != ready_.end()) return known->second;
  if (ready_.size() >= kMostShapes) forget_all();
  const auto entry = ready_.emplace(shape, Ready{}).first;
  try {
    make(shape, entry->second);
  } catch (...) {
    ready_.erase(entry);
    throw;
  }
  return entry->second;
}

bool OnednnProducts::multiply(const OnednnShape& shape, const void* a, const void* b, float* c) {
  const OnednnLibrary& dnnl = onednn_library();
  const Ready& ready = find(shape);
  if (ready.primitive == nullptr) return false;
  // Handles take addresses of what is not changed, too.
  (void)dnnl.memory_set_data_handle(ready.a, const_cast<void*>(a));
  (void)dnnl.memory_set_data_handle(ready.b, const_cast<void*>(b));
  (void)dnnl.memory_set_data_handle(ready.c, c);
  (void)dnnl.memory_set_data_handle(ready.scratch, scratch_.data());
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, ready.a},
                                       {DNNL_ARG_WEIGHTS, ready.b},
                                       {DNNL_ARG_DST, ready.c},
                                       {DNNL_ARG_SCRATCHPAD, ready.scratch}};
  require_done(dnnl.primitive_execute(ready.primitive, stream_, static_cast<int>(std::size(arguments)), arguments),
               "multiply");
  return true;
}

std::optional<std::string> OnednnProducts::kernel_of(const OnednnShape& shape) {
  const Ready& ready = find(shape);
  if (ready.primitive == nullptr) return std::nullopt;
  return ready.kernel;
}

}  // namespace minnow::kernels
#endif
