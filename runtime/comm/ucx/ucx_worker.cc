#include "runtime/comm/ucx/ucx_worker.h"

#include <memory>

#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/ucx/ucx_settings.h"

namespace pilum::comm {
namespace {

ucp_context_h make_context(int ranks, bool on_one_node) {
  ucp_config_t* raw_config = nullptr;
  check_ucx(ucp_config_read(nullptr, nullptr, &raw_config), "ucp_config_read");
  const std::unique_ptr<ucp_config_t, void (*)(ucp_config_t*)> config(raw_config, ucp_config_release);
  choose_ucx_settings(config.get(), on_one_node);

  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_AM;
  params.estimated_num_eps = static_cast<size_t>(ranks);
  params.mt_workers_shared = 0;
  ucp_context_h context = nullptr;
  check_ucx(ucp_init(&params, config.get(), &context), "ucp_init");
  return context;
}

}  // namespace

UcxWorker::UcxWorker(int ranks, bool on_one_node) : context_(make_context(ranks, on_one_node)) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  const ucs_status_t status = ucp_worker_create(context_, &params, &worker_);
  if (status != UCS_OK) {
    ucp_cleanup(context_);
    throw_ucx_failed(status, "ucp_worker_create");
  }
}

bool UcxWorker::reaches_cuda() const {
  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  if (ucp_context_query(context_, &attributes) != UCS_OK) return false;
  return (attributes.memory_types >> UCS_MEMORY_TYPE_CUDA & 1) != 0;
}

UcxWorker::~UcxWorker() {
  ucp_worker_destroy(worker_);
  ucp_cleanup(context_);
}

std::vector<std::byte> UcxWorker::get_address() const {
  ucp_address_t* address = nullptr;
  size_t length = 0;
  check_ucx(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
  const auto* bytes = reinterpret_cast<const std::byte*>(address);
  std::vector<std::byte> copy(bytes, bytes + length);
  ucp_worker_release_address(worker_, address);
  return copy;
}

}  // namespace pilum::comm
