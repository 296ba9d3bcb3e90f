#include "engine/executor/local_executor.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hone::engine {
namespace {

/// Units per compile batch: enough to keep all processors busy, few enough for early results and
/// little loss on a kill.
constexpr std::size_t kBatch = 16;

}  // namespace

std::size_t LocalExecutor::window() const { return kBatch; }

Result<Ticket> LocalExecutor::submit(std::unique_ptr<Unit> unit) {
  Ticket ticket = std::to_string(++submitted_);
  queue_.push_back({ticket, std::move(unit)});
  return ticket;
}

Result<void> LocalExecutor::prepare(std::size_t first) {
  Unit& unit = *queue_[first].unit;
  std::vector<Unit*> batch;
  for (std::size_t i = first; i < queue_.size() && batch.size() < kBatch; ++i) {
    Queued& one = queue_[i];
    if (!one.prepared && one.unit->kind() == unit.kind()) {
      one.prepared = true;
      batch.push_back(one.unit.get());
    }
  }
  return unit.prepare(batch);
}

Result<void> LocalExecutor::perform(std::size_t index) {
  if (!restored_) {
    HONE_CHECK(log_.restore());
    restored_ = true;
  }
  if (!queue_[index].prepared) {
    HONE_CHECK(prepare(index));
  }
  const Queued one = std::move(queue_[index]);
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
  auto value = one.unit->perform(context_);
  if (!value && value.error().isFatal()) {
    return std::unexpected(value.error());
  }
  UnitResult& result = results_[one.ticket];
  if (value) {
    result.value = std::move(*value);
  } else {
    result.error = value.error();
  }
  return {};
}

Result<std::size_t> LocalExecutor::wait(std::span<const Ticket> tickets) {
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    if (results_.contains(tickets[i])) {
      return i;
    }
  }
  const auto next = std::ranges::find_if(queue_, [&](const Queued& one) {
    return std::ranges::find(tickets, one.ticket) != tickets.end();
  });
  if (next == queue_.end()) {
    return machineError(
        "internal error: waiting for units that were not submitted (please report it)");
  }
  const auto index =
      static_cast<std::size_t>(std::ranges::find(tickets, next->ticket) - tickets.begin());
  HONE_CHECK(perform(static_cast<std::size_t>(next - queue_.begin())));
  return index;
}

Result<UnitResult> LocalExecutor::result(const Ticket& ticket) {
  HONE_CHECK(wait(std::span(&ticket, 1)));
  return std::move(results_.extract(ticket).mapped());
}

bool LocalExecutor::withdraw(const Ticket& ticket) {
  return std::erase_if(queue_, [&](const Queued& one) { return one.ticket == ticket; }) > 0;
}

}  // namespace hone::engine
