// What plans of mail between GPUs are made of.
#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {
namespace {

Rect flag_range(const Block& box, const std::byte* flag) {
  const std::int64_t at = flag - box.data;
  return byte_range(at, at + static_cast<std::int64_t>(device::kFlagBytes));
}

Rect range_of(const MailPlaces::Place& place) {
  return byte_range(place.at, place.at + place.bytes);
}

}  // namespace

PlanBuilder::Letter PlanBuilder::begin_letter(int to, std::size_t bytes) {
  MailPartner* partner = rank_.mail_with(to);
  if (!partner) return {};
  const auto place = mail_to_[to].next(*partner->out.block(), static_cast<std::int64_t>(bytes));
  return place ? Letter{partner, *place} : Letter{};
}

// Its cells are there: what is told comes after all that wrote into its place.
void PlanBuilder::send_letter(int to, const Letter& letter, StoreId store, int processor) {
  Block* box = letter.partner->out.block();
  std::byte* const flag = letter.partner->out.arrived(letter.place.message);
  Send send{to, next_tag(plan_.sent, to), box->data + letter.place.at, static_cast<std::size_t>(letter.place.bytes),
            store};
  send.flag = flag;
  emit(send, processor, {Touch{box, range_of(letter.place), false}, Touch{box, flag_range(*box, flag), true}});
  sent_letters_.push_back({to, letter, processor});
}

PlanBuilder::Letter PlanBuilder::receive_letter(int from, std::size_t bytes, StoreId store, int processor) {
  MailPartner* partner = rank_.mail_with(from);
  if (!partner) return {};
  Block* box = partner->in.block();
  const auto place = mail_from_[from].next(*box, static_cast<std::int64_t>(bytes));
  if (!place) return {};
  std::byte* const flag = partner->in.arrived(place->message);
  Receive receive{from, next_tag(plan_.received, from), box->data + place->at, bytes, store};
  receive.flag = flag;
  emit(receive, processor, {Touch{box, range_of(*place), true}, Touch{box, flag_range(*box, flag), true}});
  return {partner, *place};
}

void PlanBuilder::tell_taken(int from, const Letter& letter, int processor) {
  Block *in = letter.partner->in.block(), *out = letter.partner->out.block();
  std::byte* const flag = letter.partner->out.taken(letter.place.message);
  emit(Taken{from, flag, /*waits=*/false}, processor,
       {Touch{in, range_of(letter.place), true}, Touch{out, flag_range(*out, flag), true}});
}

void PlanBuilder::copy_bytes(Block* from, std::int64_t from_at, Block* to, std::int64_t to_at, std::int64_t bytes,
                             const Store& store, int processor) {
  const auto size = static_cast<std::int64_t>(itemsize(store.dtype));
  const Rect read = byte_range(from_at, from_at + bytes), written = byte_range(to_at, to_at + bytes);
  Copy copy{
      {from->data + from_at, {size}}, {to->data + to_at, {size}}, 1, {bytes / size}, itemsize(store.dtype), store.id,
      byte_range(0, bytes / size)};
  emit_copy(copy, Touch{from, read, false}, Touch{to, written, true}, processor);
}

void PlanBuilder::send_parcel(int to, Block* block, std::int64_t at, std::int64_t bytes, const Store& store,
                              int processor) {
  const auto size = static_cast<std::size_t>(bytes);
  if (const Letter letter = begin_letter(to, size)) {
    copy_bytes(block, at, letter.partner->out.block(), letter.place.at, bytes, store, processor);
    return send_letter(to, letter, store.id, processor);
  }
  Block* offered = allocate_from(*rank_.shared[static_cast<std::size_t>(processor)], size, processor, store.id);
  copy_bytes(block, at, offered, 0, bytes, store, processor);
  send_shared(to, offered, size, store.id, processor);
  free(offered, processor);
}

PlanBuilder::Parcel PlanBuilder::receive_parcel(int from, std::int64_t bytes, const Store& store, int processor) {
  const auto size = static_cast<std::size_t>(bytes);
  if (const Letter letter = receive_letter(from, size, store.id, processor))
    return {letter.partner->in.block(), letter.place.at, bytes, from, letter};
  Block* taken = allocate_at_once(size, processor, store.id);
  receive_shared(from, taken, size, store.id, processor);
  return {taken, 0, bytes, from};
}

void PlanBuilder::end_parcel(const Parcel& parcel, int processor) {
  if (parcel.letter) return tell_taken(parcel.from, parcel.letter, processor);
  free(parcel.block, processor);
}

void PlanBuilder::wait_until_taken() {
  for (const SentLetter& sent : sent_letters_) {
    Block *in = sent.letter.partner->in.block(), *out = sent.letter.partner->out.block();
    std::byte* const flag = sent.letter.partner->in.taken(sent.letter.place.message);
    const Rect arrived = flag_range(*out, sent.letter.partner->out.arrived(sent.letter.place.message));
    emit(Taken{sent.to, flag, /*waits=*/true}, sent.processor,
         {Touch{out, range_of(sent.letter.place), true}, Touch{in, flag_range(*in, flag), true},
          Touch{out, arrived, true}});  // it was lowered too
  }
  sent_letters_.clear();
}

}  // namespace pilum::scheduler
