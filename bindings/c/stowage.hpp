// stowage.hpp: Stowage's planner of static memory, for C++17. It needs stowage.h and the library, and nothing else.
//
//     stowage::solver s;
//     s.buffers({0, 0, 1}, {2, 4, 4}, {600, 300, 500});   // lower, upper, size
//     stowage::plan p = s.solve();
//     if (p) use(p.offsets, p.height);                    // else p.status says why not
//
// Errors are exceptions (stowage::error): a bad problem, a wrong option, no memory. That nothing fits, or that a limit
// came, is no error: plan::status says so, and plan::reason why nothing fits.
//
// Columns are copied when they are set, so temporaries will do. A solver keeps its memory for the next run. It can be
// moved, and used by one thread at a time; different solvers are independent. A token may be used by any thread.
#ifndef STOWAGE_HPP
#define STOWAGE_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "stowage.h"

namespace stowage {

// An error says what the library refuses. code() is STOWAGE_E_INPUT or another of these codes;
// what() has a line for each fault.
class error : public std::runtime_error {
 public:
  error(int code, const std::string &text) : std::runtime_error(text), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

enum class status {
  // generated: status
  unknown = STOWAGE_UNKNOWN,       // a limit came before an answer; there is no plan
  feasible = STOWAGE_FEASIBLE,     // a plan that fits, not known to be the lowest
  optimal = STOWAGE_OPTIMAL,       // a plan, proven to be the lowest
  infeasible = STOWAGE_INFEASIBLE, // proven: no plan fits
  // end of status
};

// Why a run ended without an answer.
enum class stop {
  // generated: stop
  finished = STOWAGE_FINISHED,        // it has its answer
  timeout = STOWAGE_STOP_TIMEOUT,     // the timeout came
  nodes = STOWAGE_STOP_NODES,         // the node limit came
  cancelled = STOWAGE_STOP_CANCELLED, // a token or the progress callback said so
  effort = STOWAGE_STOP_EFFORT,       // no limit came: the planner ended by itself
  // end of stop
};

// A view has numbers that it does not own, as std::span in C++20.
class view {
 public:
  view() = default;
  view(const int64_t *data, std::size_t size) : data_(data), size_(size) {}
  const int64_t *begin() const { return data_; }
  const int64_t *end() const { return data_ + size_; }
  const int64_t *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](std::size_t i) const { return data_[i]; }

 private:
  const int64_t *data_ = nullptr;
  std::size_t size_ = 0;
};

// A gap is a time [lower, upper) within a lifespan. In it the buffer uses no space or, with a
// window, only its own bytes [window_lower, window_upper).
struct gap {
  int64_t lower = 0, upper = 0;
  int64_t window_lower = STOWAGE_NONE, window_upper = STOWAGE_NONE;
};

// A buffer is live at lower, lower+1, ..., upper-1. Written short, it is {lower, upper, size}.
struct buffer {
  int64_t lower = 0, upper = 0, size = 0;
  int64_t alignment = 1;
  std::optional<int64_t> fixed{};  // the offset that it must have
  std::optional<int64_t> hint{};   // an offset to try first
  std::vector<gap> gaps{};
  std::string name{};  // for messages; all buffers have one, or none has
};

// The rules of a problem: what one block of bytes and plain lifespans cannot say (docs/memories.md).
// Buffers and pools are numbers from 0.
struct pool_size {
  int64_t bytes = 0, price = 0;
};
struct range {
  int64_t lower = 0, upper = 0;
};
// In braces the third value is the alignment and the fourth the cost. So pool{"dram", 0, 1} has an alignment of 1 and costs
// nothing; pool{"dram", 0, 1, 1} costs 1 for each byte.
struct pool {
  std::string name{};
  int64_t capacity = 0;           // bytes; 0 for no limit
  int64_t alignment = 1;
  int64_t cost = 0;               // of each byte of a buffer in it
  std::vector<range> reserved{};  // bytes that no buffer may use
  bool objects = false;           // it is divided into objects: two buffers begin at the same byte or share none
  std::vector<int64_t> borders{}; // bytes at which a bank ends: no buffer lies on both sides, but for those that span
  std::vector<pool_size> sizes{}; // sizes that it may have, ascending, each at a price
  int64_t granularity = 0;        // bytes of a page: two buffers of different kinds that conflict share none; 0 for none
};
struct pair {
  int64_t first = 0, second = 0;
};
struct valued_pair {
  int64_t first = 0, second = 0, value = 0;
};
struct pool_cost {
  int64_t buffer = 0, pool = 0, cost = 0;
};
struct allowed_pool {
  int64_t buffer = 0, pool = 0;
};
struct eviction {
  int64_t buffer = 0, lower = 0, upper = 0, cost = 0;
};
// A size of two dimensions, or of three if depth is not 0.
struct extent {
  int64_t buffer = 0, width = 0, height = 0, depth = 0;
};
// A price that is paid once for a set of pairs.
struct group {
  std::vector<pair> pairs{};
  int64_t cost = 0;
  int64_t paid = STOWAGE_IF_ONE_SHARES; // or STOWAGE_IF_ALL_SHARE, STOWAGE_UNLESS_ALL_COINCIDE, STOWAGE_UNLESS_ONE_COINCIDES
};
struct rules {
  // generated: rules
  // the memories to plan for
  std::vector<stowage::pool> pools{};
  // the pools that the buffer may be in; without one it may be in any
  std::vector<allowed_pool> allowed{};
  // what the buffer costs in some pools, in place of the pool's cost of each byte
  std::vector<pool_cost> costs{};
  // buffers in one pool that begin at one byte, or at these distances from each other
  std::vector<valued_pair> together{}; // value: offset of second - offset of first
  // pairs that share no byte, whatever their lifespans
  std::vector<pair> apart{};
  // pairs that may share bytes although both live
  std::vector<pair> may_overlap{};
  // first dies in the slot in which second is born. They may share bytes if offset of first - offset of second >= distance
  std::vector<valued_pair> distances{}; // value: the distance
  // what it costs if two buffers share bytes
  std::vector<valued_pair> penalties{}; // value: the cost
  // the stretches [lower, upper) in which the buffer may be absent, and what each costs
  std::vector<eviction> evictions{};
  // lifespans by several clocks, a number for each buffer and clock; lower and upper of the buffers then do not count
  int64_t threads = 0; // the number of clocks; 0 for one line of time
  std::vector<int64_t> clock_lower{}, clock_upper{}; // threads numbers for each buffer
  // the length of a step that repeats: lifespans may run over its end
  int64_t period = 0;
  // what is minimised, the most important first: "height", "max_height", "peak", "max_peak", "cost", "penalty", "eviction", "objects", "height:POOL", "peak:POOL"
  std::vector<std::string> objective{};
  // lists of buffers, any two of which are in different pools
  std::vector<std::vector<int64_t>> different_pools{};
  // lists of buffers that are all in one pool
  std::vector<std::vector<int64_t>> same_pool{};
  // lists of buffers that are all at one offset, each in its own pool
  std::vector<std::vector<int64_t>> lockstep{};
  // lists of buffers of one kind; two of different kinds that conflict share no page of a pool with a granularity
  std::vector<std::vector<int64_t>> kinds{};
  // lists of buffers of which a plan has one; the others get the offset -1
  std::vector<std::vector<int64_t>> alternatives{};
  // prices that are paid once for a set of pairs
  std::vector<group> groups{};
  // buffers that may lie on both sides of a border of their pool
  std::vector<int64_t> spans{};
  // width and height of the buffer, and perhaps its depth; its size is then their product. An object is as large as its largest buffer in each
  std::vector<extent> extents{};
  // end of rules
};

// A part of a buffer that is evicted.
struct part {
  int64_t buffer = 0, lower = 0, upper = 0, pool = 0, offset = 0;
};

// A buffer that takes over bytes: it must not begin at a time before another one has ended. turn is -1 if that
// one is of the turn before, in problems with a period.
struct barrier {
  int64_t buffer = 0, at = 0, behind = 0, until = 0, turn = 0;
};

// The options of a run. A zero means no limit; a capacity of 0 means that of the JSON problem, if it has one.
struct options {
  // generated: options
  std::string planner{};                    // the planner's name; auto if it is not set
  int64_t capacity = 0;                     // bytes to fit into; without it the problem's own capacity counts, if it has one
  bool minimize = false;                    // look for the lowest plan; implied without a capacity
  std::chrono::nanoseconds timeout{};       // the most time that a run may take
  int64_t nodes = 0;                        // the most nodes that a run may search; unlike a time, reproducible
  int64_t workers = 0;                      // threads that may search side by side; 0 is 1, more than 1024 are 1024
  uint64_t seed = 0;                        // drives every random choice
  std::vector<std::string> without{};       // techniques of the planner to switch off
  std::map<std::string, std::string> set{}; // parameters of the planner
  // end of options
};

// What a progress callback gets. offsets has the offsets of the lowest plan if its height is new
// and the planner has them at hand; otherwise it is empty. It is valid only during the call.
struct progress {
  int64_t height, lower_bound, nodes;
  std::chrono::nanoseconds elapsed;
  view offsets;
};

// A plan is the outcome of a run. It is true if there are offsets.
struct plan {
  stowage::status status = stowage::status::unknown;
  stowage::stop stopped = stowage::stop::finished;
  std::vector<int64_t> offsets;  // one for each buffer, in their order; empty if there is no plan
  std::vector<int64_t> pools;    // the pool of each buffer; empty if the problem has columns without rules
  std::vector<part> parts;       // of buffers that are evicted, in the order of the buffers and of time
  int64_t height = 0;            // of the plan
  int64_t lower_bound = 0;       // proven: no plan is lower
  int64_t capacity = 0;          // that counted; 0 for none
  int64_t nodes = 0, backtracks = 0;
  std::chrono::nanoseconds elapsed{};
  std::string planner;  // that ran
  std::string member;   // of a portfolio: which part of it made the plan
  std::string found_by;   // who found the plan: the part of the planner, or the planner; "" without a plan
  std::string proved_by;  // who proved the outcome: a planner, "bound" or "collision"; "" if nobody did
  std::string ended;      // why the run ended: "proof", "fits", "done", or the limit, such as "timeout"
  std::string reason;   // why nothing fits, if the status is infeasible

  explicit operator bool() const { return status == stowage::status::feasible || status == stowage::status::optimal; }
};

// Buffers that cannot fit the capacity together.
struct explanation {
  std::vector<int64_t> buffers;  // their numbers, ascending; none if all fit or a limit came first
  std::string reason;            // in words
  std::string limit;             // what a limit has left open; "" for nothing
};

// A token ends runs from outside. Copies are the same token, which lives as long as any of them or a solver that uses
// it. cancel may be called by any thread and by a signal handler. A token stays cancelled until reset.
class token {
 public:
  token() : token_(stowage_token_new(), stowage_token_free) {
    if (!token_) throw std::bad_alloc();
  }
  void cancel() const noexcept { stowage_cancel(token_.get()); }
  void reset() const noexcept { stowage_token_reset(token_.get()); }
  stowage_token *get() const noexcept { return token_.get(); }

 private:
  std::shared_ptr<stowage_token> token_;
};

// A solver holds a problem and options, and plans as often as it is asked.
class solver {
 public:
  solver() : state_(new state) {
    if (stowage_abi() != STOWAGE_ABI)
      throw error(STOWAGE_E_INTERNAL, "the library that is loaded has another ABI than stowage.hpp was written for");
    state_->handle.reset(stowage_new());
    if (!state_->handle) throw std::bad_alloc();
  }

  // buffers sets the problem as columns: any containers of whole numbers. It forgets all
  // that was set of other buffers before.
  template <class Lower, class Upper, class Size>
  solver &buffers(const Lower &lower, const Upper &upper, const Size &size) {
    idle();
    std::vector<int64_t> low, up, bytes;
    copy(low, lower, "lower");
    copy(up, upper, "upper");
    copy(bytes, size, "size");
    same(low.size(), up.size(), "upper");
    same(low.size(), bytes.size(), "size");
    state &s = *state_;
    check(stowage_set_buffers(get(), std::int64_t(low.size()), low.data(), up.data(), bytes.data()));
    s.lower.swap(low), s.upper.swap(up), s.size.swap(bytes); // the arrays stay where they are
    s.rules.reset();
    s.json = false;
    s.given = true;
    return *this;
  }
  solver &buffers(std::initializer_list<int64_t> lower, std::initializer_list<int64_t> upper,
                  std::initializer_list<int64_t> size) {
    return buffers<std::initializer_list<int64_t>, std::initializer_list<int64_t>, std::initializer_list<int64_t>>(lower, upper, size);
  }

  // buffers sets the problem with all that buffers may have.
  solver &buffers(const std::vector<buffer> &all) {
    std::vector<int64_t> lower, upper, size, alignment, fixed, hint;
    std::vector<std::vector<gap>> gaps;
    std::vector<std::string> names;
    bool named = false;
    for (const buffer &b : all) {
      lower.push_back(b.lower), upper.push_back(b.upper), size.push_back(b.size);
      alignment.push_back(b.alignment);
      fixed.push_back(b.fixed.value_or(STOWAGE_NONE)), hint.push_back(b.hint.value_or(STOWAGE_NONE));
      gaps.push_back(b.gaps);
      names.push_back(b.name);
      named = named || !b.name.empty();
    }
    buffers(lower, upper, size);
    alignments(alignment).fixed(fixed).hints(hint).gaps(gaps);
    if (named) this->names(names);
    return *this;
  }

  // Columns that a problem may have; an empty one removes the column. In fixed and hints,
  // STOWAGE_NONE is for a buffer without one. A starting plan is a whole plan to improve on.
  template <class C>
  solver &alignments(const C &column) { return set(state_->alignment, column, "alignment", stowage_set_alignments); }
  template <class C>
  solver &fixed(const C &column) { return set(state_->fixed, column, "fixed", stowage_set_fixed); }
  template <class C>
  solver &hints(const C &column) { return set(state_->hint, column, "hint", stowage_set_hints); }
  template <class C>
  solver &starting_plan(const C &offsets) { return set(state_->start, offsets, "start", stowage_set_start); }

  // names names the buffers: UTF-8, distinct, not empty.
  solver &names(std::vector<std::string> names) {
    idle();
    state &s = *state_;
    if (!names.empty()) same(count(), names.size(), "names");
    std::vector<const char *> pointers;
    for (const std::string &name : names) {
      if (name.find('\0') != std::string::npos) throw error(STOWAGE_E_INPUT, "names: a name has a zero byte in it");
      pointers.push_back(name.c_str());
    }
    check(stowage_set_names(get(), names.empty() ? nullptr : pointers.data()));
    s.names.swap(names), s.pointers.swap(pointers);
    return *this;
  }

  // gaps gives each buffer its gaps.
  solver &gaps(const std::vector<std::vector<gap>> &all) {
    idle();
    state &s = *state_;
    std::vector<int64_t> first{0}, column[4];
    if (!all.empty()) same(count(), all.size(), "gaps");
    for (const std::vector<gap> &of : all) {
      for (const gap &g : of) {
        column[0].push_back(g.lower), column[1].push_back(g.upper);
        column[2].push_back(g.window_lower), column[3].push_back(g.window_upper);
      }
      first.push_back(std::int64_t(column[0].size()));
    }
    check(stowage_set_gaps(get(), column[0].empty() ? nullptr : first.data(), column[0].data(), column[1].data(), column[2].data(), column[3].data()));
    s.first.swap(first);
    for (int k = 0; k < 4; k++) s.gap[k].swap(column[k]);
    return *this;
  }

  // rules sets all rules, after the buffers; a rule that is not named is removed.
  solver &rules(const stowage::rules &r) {
    idle();
    auto next = std::make_unique<ruled>();
    ruled &n = *next;
    n.objective = r.objective;
    for (const stowage::pool &p : r.pools) n.names.push_back(p.name);
    for (std::size_t k = 0; k < r.pools.size(); k++) {
      const stowage::pool &p = r.pools[k];
      n.add(0, p.capacity, p.alignment, p.cost);
      for (const range &x : p.reserved) n.add(1, std::int64_t(k), x.lower, x.upper);
      if (p.objects) n.add(12, std::int64_t(k));
      if (p.granularity != 0) n.add(17, std::int64_t(k), p.granularity);
      for (int64_t x : p.borders) n.add(14, std::int64_t(k), x);
      for (const pool_size &x : p.sizes) n.add(15, std::int64_t(k), x.bytes, x.price);
    }
    for (const allowed_pool &x : r.allowed) n.add(2, x.buffer, x.pool);
    for (const pool_cost &x : r.costs) n.add(3, x.buffer, x.pool, x.cost);
    for (const valued_pair &x : r.together) n.add(4, x.first, x.second, x.value);
    for (const pair &x : r.apart) n.add(5, x.first, x.second);
    for (const pair &x : r.may_overlap) n.add(6, x.first, x.second);
    for (const valued_pair &x : r.distances) n.add(7, x.first, x.second, x.value);
    for (const valued_pair &x : r.penalties) n.add(8, x.first, x.second, x.value);
    for (const eviction &x : r.evictions) n.add(9, x.buffer, x.lower, x.upper, x.cost);
    for (std::size_t k = 0; k < r.different_pools.size(); k++)
      for (int64_t x : r.different_pools[k]) n.add(10, std::int64_t(k), x);
    for (std::size_t k = 0; k < r.same_pool.size(); k++)
      for (int64_t x : r.same_pool[k]) n.add(11, std::int64_t(k), x);
    for (int64_t x : r.spans) n.add(16, x);
    for (const extent &x : r.extents) n.add(22, x.buffer, x.width, x.height, x.depth);
    for (std::size_t k = 0; k < r.kinds.size(); k++)
      for (int64_t x : r.kinds[k]) n.add(18, std::int64_t(k), x);
    for (std::size_t k = 0; k < r.alternatives.size(); k++)
      for (int64_t x : r.alternatives[k]) n.add(21, std::int64_t(k), x);
    for (std::size_t k = 0; k < r.groups.size(); k++) {
      for (const pair &x : r.groups[k].pairs) n.add(19, std::int64_t(k), x.first, x.second);
      n.add(20, r.groups[k].cost, r.groups[k].paid);
    }
    for (std::size_t k = 0; k < r.lockstep.size(); k++)
      for (int64_t x : r.lockstep[k]) n.add(13, std::int64_t(k), x);
    n.lower = r.clock_lower, n.upper = r.clock_upper;
    for (const std::string &x : n.names) n.pools.push_back(x.c_str());
    for (const std::string &x : n.objective) n.measures.push_back(x.c_str());
    if (r.threads < 0 || n.lower.size() != std::size_t(r.threads) * count() || n.upper.size() != n.lower.size())
      throw error(STOWAGE_E_INPUT, "clocks: there must be " + std::to_string(r.threads) + " for each buffer in clock_lower and in clock_upper");
    stowage_solver *s = get();
    state_->rules.swap(next);  // the former lists go when the library has the new ones
    check(stowage_set_pools(s, std::int64_t(n.pools.size()), n.pools.data(), n.at(0, 0), n.at(0, 1), n.at(0, 2)));
    check(stowage_set_reserved(s, n.size(1), n.at(1, 0), n.at(1, 1), n.at(1, 2)));
    check(stowage_set_allowed(s, n.size(2), n.at(2, 0), n.at(2, 1)));
    check(stowage_set_costs(s, n.size(3), n.at(3, 0), n.at(3, 1), n.at(3, 2)));
    check(stowage_set_together(s, n.size(4), n.at(4, 0), n.at(4, 1), n.at(4, 2)));
    check(stowage_set_apart(s, n.size(5), n.at(5, 0), n.at(5, 1)));
    check(stowage_set_may_overlap(s, n.size(6), n.at(6, 0), n.at(6, 1)));
    check(stowage_set_distances(s, n.size(7), n.at(7, 0), n.at(7, 1), n.at(7, 2)));
    check(stowage_set_penalties(s, n.size(8), n.at(8, 0), n.at(8, 1), n.at(8, 2)));
    check(stowage_set_evictions(s, n.size(9), n.at(9, 0), n.at(9, 1), n.at(9, 2), n.at(9, 3)));
    check(stowage_set_different_pools(s, n.size(10), n.at(10, 0), n.at(10, 1)));
    check(stowage_set_same_pool(s, n.size(11), n.at(11, 0), n.at(11, 1)));
    check(stowage_set_objects(s, n.size(12), n.at(12, 0)));
    check(stowage_set_lockstep(s, n.size(13), n.at(13, 0), n.at(13, 1)));
    check(stowage_set_borders(s, n.size(14), n.at(14, 0), n.at(14, 1)));
    check(stowage_set_sizes(s, n.size(15), n.at(15, 0), n.at(15, 1), n.at(15, 2)));
    check(stowage_set_spans(s, n.size(16), n.at(16, 0)));
    check(stowage_set_granularity(s, n.size(17), n.at(17, 0), n.at(17, 1)));
    check(stowage_set_kinds(s, n.size(18), n.at(18, 0), n.at(18, 1)));
    check(stowage_set_groups(s, n.size(19), n.at(19, 0), n.at(19, 1), n.at(19, 2)));
    check(stowage_set_group_costs(s, n.size(20), n.at(20, 0), n.at(20, 1)));
    check(stowage_set_alternatives(s, n.size(21), n.at(21, 0), n.at(21, 1)));
    check(stowage_set_extents(s, n.size(22), n.at(22, 0), n.at(22, 1), n.at(22, 2), n.at(22, 3)));
    check(stowage_set_clocks(s, r.threads, n.lower.data(), n.upper.data()));
    check(stowage_set_period(s, r.period));
    check(stowage_set_objective(s, std::int64_t(n.measures.size()), n.measures.data()));
    return *this;
  }

  // measure returns a measure of the last plan, such as "cost", and a proven lower bound of it, if there is one.
  std::pair<int64_t, std::optional<int64_t>> measure(const std::string &name) {
    int64_t value = 0, bound = STOWAGE_NONE;
    check(stowage_get_measure(get(), name.c_str(), &value, &bound));
    return {value, bound == STOWAGE_NONE ? std::nullopt : std::optional<int64_t>(bound)};
  }

  // read_json takes the problem from JSON, as the command reads it.
  solver &read_json(std::string_view text) {
    check(stowage_read_json(get(), text.data() == nullptr ? "" : text.data(), text.size()));
    state_->json = state_->given = true;
    return *this;
  }

  // generate makes a problem as `stowage gen` does. json names the kind and its options.
  solver &generate(std::string_view json) {
    check(stowage_generate(get(), json.data() == nullptr ? "" : json.data(), json.size()));
    state_->given = true;
    return *this;
  }
  std::size_t count() const { return std::size_t(stowage_count(get())); }

  // set replaces all options. A wrong name or value throws at once.
  solver &set(const options &o) {
    // generated: set
    set_json("{\"planner\": " + json_of(o.planner) + ", \"without\": " + json_of(o.without) + ", \"set\": " + json_of(o.set) + "}");
    check(stowage_set(get(), STOWAGE_CAPACITY, o.capacity));
    check(stowage_set(get(), STOWAGE_MINIMIZE, o.minimize ? 1 : 0));
    check(stowage_set(get(), STOWAGE_TIMEOUT_NS, o.timeout.count()));
    check(stowage_set(get(), STOWAGE_NODES, o.nodes));
    check(stowage_set(get(), STOWAGE_WORKERS, o.workers));
    check(stowage_set(get(), STOWAGE_SEED, signed_bits(o.seed)));
    // end of set
    return *this;
  }

  // set_json sets options by name, as stowage_set_options does; the others stay.
  solver &set_json(std::string_view json) {
    check(stowage_set_options(get(), json.data() == nullptr ? "" : json.data(), json.size()));
    return *this;
  }

  // on_progress sets a callback, which is called about every 50 ms during a run, maybe from
  // another thread. It returns whether the run goes on, or nothing. If it throws, the run ends,
  // and solve or wait throws the same. It must not use this solver.
  template <class F>
  solver &on_progress(F callback) {
    idle();
    std::function<bool(const progress &)> tell;
    if constexpr (std::is_same_v<std::invoke_result_t<F &, const progress &>, void>)
      tell = [callback](const progress &p) mutable { callback(p); return true; };
    else
      tell = std::move(callback);
    check(stowage_on_progress(get(), &solver::told, state_.get()));
    state_->tell = std::move(tell);
    return *this;
  }
  solver &on_progress(std::nullptr_t) {
    check(stowage_on_progress(get(), nullptr, nullptr));
    state_->tell = nullptr;
    return *this;
  }

  // use makes runs end once the token is cancelled.
  solver &use(const token &t) {
    check(stowage_set_token(get(), t.get()));
    state_->end = t;
    return *this;
  }

  // solve plans. Every plan has been verified.
  plan solve() {
    idle();
    begin();
    return outcome(stowage_solve(get(), state_->offsets.data()));
  }

  // size finds which capacities are enough: it plans without a capacity. fits says what the last
  // run knows of any capacity: feasible, infeasible or unknown.
  plan size() {
    idle();
    begin();
    return outcome(stowage_size(get(), state_->offsets.data()));
  }
  stowage::status fits(int64_t capacity) { return stowage::status(check(stowage_fits(get(), capacity))); }

  // start begins a run in the background. Make no other call until wait has returned the plan.
  // The destructor ends the run and waits for it.
  void start() {
    idle();
    begin();
    check(stowage_start(get(), state_->offsets.data()));
    state_->runs = true;
  }
  plan wait() {
    const int code = stowage_wait(get(), -1);
    return ended(code);
  }
  // wait returns nothing if the run goes on after this time.
  std::optional<plan> wait(std::chrono::milliseconds most) {
    const int code = stowage_wait(get(), most.count() < 0 ? 0 : most.count());
    if (code == STOWAGE_RUNNING) return std::nullopt;
    return ended(code);
  }

  // verify counts the rules that a plan breaks: 0 means that it is valid. If first is given, it
  // gets the first broken rule in words.
  template <class C>
  int64_t verify(const C &offsets, std::string *first = nullptr) {
    idle();
    std::vector<int64_t> column;
    copy(column, offsets, "offsets");
    same(count(), column.size(), "offsets");
    const int64_t broken = check(stowage_verify(get(), column.data()));
    if (first != nullptr) *first = stowage_error(get());
    return broken;
  }

  // This verify is for a plan of several pools, or with evictions.
  int64_t verify(const plan &p, std::string *first = nullptr) {
    idle();
    same(count(), p.offsets.size(), "offsets");
    if (!p.pools.empty()) same(count(), p.pools.size(), "pools");
    std::vector<int64_t> column[5];
    for (const part &x : p.parts) {
      column[0].push_back(x.buffer), column[1].push_back(x.lower), column[2].push_back(x.upper);
      column[3].push_back(x.pool), column[4].push_back(x.offset);
    }
    const int64_t broken = check(stowage_verify_plan(get(), p.offsets.data(), p.pools.empty() ? nullptr : p.pools.data(), std::int64_t(p.parts.size()),
                                                     column[0].data(), column[1].data(), column[2].data(), column[3].data(), column[4].data()));
    if (first != nullptr) *first = stowage_error(get());
    return broken;
  }

  // barriers lists which buffers take over bytes of others and must wait for them, in the plan of the last run.
  std::vector<barrier> barriers() {
    idle();
    const int64_t n = check(stowage_barriers(get(), nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr));
    return rows<barrier>(n, [&](auto... column) { return stowage_barriers(get(), nullptr, n, column...); });
  }

  // bound returns a proven lower bound of the height without a search.
  int64_t bound() { return check(stowage_bound(get())); }

  // load returns the most bytes that are in use at once.
  int64_t load() { return check(stowage_load(get())); }

  // digest names the problem by its content, its capacity apart.
  std::string digest() {
    const char *at = stowage_digest(get());
    return text(at, at == nullptr ? 0 : 16);
  }

  // explain looks for buffers that cannot fit the capacity together. If any one of them is left out, the others fit.
  explanation explain() {
    idle();
    explanation e;
    e.buffers.resize(count() + 1); // room also for no buffers
    const int64_t n = check(stowage_explain(get(), e.buffers.data()));
    e.buffers.resize(std::size_t(n));
    e.limit = stowage_error(get());
    e.reason = stowage_reason(get());
    return e;
  }

  // json is the problem and the outcome of the last run, as the command writes them.
  std::string json() {
    std::size_t length = 0;
    return text(stowage_json(get(), &length), length);
  }

  // stats is the outcome of the last run as `stowage solve --stats` writes it.
  std::string stats() {
    std::size_t length = 0;
    return text(stowage_stats(get(), &length), length);
  }

  // get returns the handle, for calls that this header does not have.
  stowage_solver *get() const noexcept { return state_->handle.get(); }

 private:
  friend class session;
  struct free_solver {
    void operator()(stowage_solver *s) const noexcept { stowage_free(s); }
  };

  // The rules as the library reads them: lists in columns.
  struct ruled {
    std::vector<std::string> names, objective;
    std::vector<const char *> pools, measures;
    std::vector<int64_t> columns[23][4], lower, upper;
    template <class... X>
    void add(int list, X... x) {
      int k = 0;
      (columns[list][k++].push_back(x), ...);
    }
    int64_t size(int list) const { return std::int64_t(columns[list][0].size()); }
    const int64_t *at(int list, int k) const { return columns[list][k].data(); }
  };

  // Moving a solver does not move what the library reads. The handle is the last member, so it
  // is destroyed first: stowage_free waits for a run that may still read the others.
  struct state {
    std::vector<int64_t> lower, upper, size, alignment, fixed, hint, start, offsets;
    std::vector<int64_t> first, gap[4];
    std::vector<std::string> names;
    std::vector<const char *> pointers;
    std::unique_ptr<ruled> rules;  // null if none are set
    bool json = false;             // the problem was read, and may have rules
    bool given = false;            // there is a problem, if only one of no buffers
    std::function<bool(const progress &)> tell;
    std::exception_ptr thrown;
    std::optional<token> end;
    bool runs = false;
    std::unique_ptr<stowage_solver, free_solver> handle;
  };
  std::unique_ptr<state> state_;

  template <class T>
  T check(T code) const {
    if (code < 0) {
      if (code == STOWAGE_E_MEMORY) throw std::bad_alloc();
      throw error(int(code), stowage_error(get()));
    }
    return code;
  }

  // rows reads n rows of five numbers, which a call writes into columns.
  template <class Row, class Call>
  std::vector<Row> rows(int64_t n, Call call) const {
    std::vector<int64_t> column[5];
    for (std::vector<int64_t> &c : column) c.resize(std::size_t(n));
    check(call(column[0].data(), column[1].data(), column[2].data(), column[3].data(), column[4].data()));
    std::vector<Row> all;
    for (std::size_t k = 0; k < std::size_t(n); k++) all.push_back({column[0][k], column[1][k], column[2][k], column[3][k], column[4][k]});
    return all;
  }

  std::string text(const char *at, const std::size_t &length) const {
    if (at == nullptr) throw error(STOWAGE_E_INPUT, stowage_error(get()));
    return std::string(at, length);
  }

  // idle refuses a call that would change memory that a run in the background reads.
  void idle() const {
    if (state_->runs) throw error(STOWAGE_E_BUSY, "the solver is in use: a run in the background has not been waited for");
  }

  void begin() {
    if (!state_->given && count() == 0) throw error(STOWAGE_E_INPUT, "the solver has no problem: call buffers, read_json or generate first");
    state_->thrown = nullptr;
    state_->offsets.resize(count() + 1);
  }

  plan ended(int code) {
    if (code != STOWAGE_E_FORKED) state_->runs = false;
    return outcome(code);
  }

  plan outcome(int code) {
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    check(code);
    plan p;
    if (code == STOWAGE_INFEASIBLE) p.reason = stowage_reason(get());
    stowage_result r;
    check(stowage_get_result(get(), &r, sizeof r));
    p.status = stowage::status(r.status);
    p.stopped = stowage::stop(r.stopped);
    p.height = r.height, p.lower_bound = r.lower_bound, p.capacity = r.capacity;
    p.nodes = r.nodes, p.backtracks = r.backtracks;
    p.elapsed = std::chrono::nanoseconds(r.elapsed_ns);
    p.planner = r.planner, p.member = r.member;
    p.found_by = stowage_found_by(get()), p.proved_by = stowage_proved_by(get()), p.ended = stowage_ended(get());
    if (p) {
      p.offsets.assign(state_->offsets.begin(), state_->offsets.begin() + std::ptrdiff_t(count()));
      if (state_->rules || state_->json) {
        p.pools.resize(count());
        check(stowage_get_pools(get(), p.pools.data()));
        const int64_t n = check(stowage_get_parts(get(), 0, nullptr, nullptr, nullptr, nullptr, nullptr));
        p.parts = rows<part>(n, [&](auto... column) { return stowage_get_parts(get(), n, column...); });
      }
    }
    return p;
  }

  // told is the callback that the library calls. No exception may pass through it.
  static int told(const stowage_progress *p, const int64_t *offsets, void *user) noexcept {
    state &s = *static_cast<state *>(user);
    try {
      const std::size_t n = offsets == nullptr ? 0 : std::size_t(stowage_count(s.handle.get()));
      return s.tell({p->height, p->lower_bound, p->nodes, std::chrono::nanoseconds(p->elapsed_ns), view(offsets, n)}) ? 0 : 1;
    } catch (...) {
      s.thrown = std::current_exception();
      return 1;
    }
  }

  static void same(std::size_t want, std::size_t got, const char *name) {
    if (want != got)
      throw error(STOWAGE_E_INPUT, std::string(name) + ": it has " + std::to_string(got) + " entries, and there are " + std::to_string(want) + " buffers");
  }

  template <class C>
  static void copy(std::vector<int64_t> &to, const C &from, const char *name) {
    to.clear();
    for (const auto &x : from) {
      using T = std::decay_t<decltype(x)>;
      static_assert(std::is_integral_v<T>, "a column is of whole numbers");
      if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) {
        if (x > T(std::numeric_limits<int64_t>::max()))
          throw error(STOWAGE_E_INPUT, std::string(name) + ": " + std::to_string(x) + " does not fit 64 bits with a sign");
      }
      to.push_back(int64_t(x));
    }
  }

  template <class C>
  solver &set(std::vector<int64_t> &to, const C &from, const char *name, int (*pass)(stowage_solver *, const int64_t *)) {
    idle();
    std::vector<int64_t> column;
    copy(column, from, name);
    if (!column.empty()) same(count(), column.size(), name);
    check(pass(get(), column.empty() ? nullptr : column.data()));
    to.swap(column);
    return *this;
  }

  static int64_t signed_bits(uint64_t x) {
    return x <= uint64_t(std::numeric_limits<int64_t>::max()) ? int64_t(x) : -int64_t(~x) - 1;
  }

  static std::string quoted(const std::string &text) {
    static const char *digits = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) < 0x20)
        out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
      else
        out += c;
    }
    return out + '"';
  }

  // json_of writes values of options as JSON.
  static std::string json_of(const std::string &text) { return quoted(text); }
  static std::string json_of(const std::vector<std::string> &texts) {
    std::string out;
    for (const std::string &text : texts) out += (out.empty() ? "[" : ", ") + quoted(text);
    return out.empty() ? "[]" : out + "]";
  }
  static std::string json_of(const std::map<std::string, std::string> &pairs) {
    std::string out;
    for (const auto &entry : pairs) out += (out.empty() ? "{" : ", ") + quoted(entry.first) + ": " + quoted(entry.second);
    return out.empty() ? "{}" : out + "}";
  }
};

// The last step that a call of a session may take; none is that of the session.
enum class step {
  none = STOWAGE_STEP_NONE,
  keep = STOWAGE_STEP_KEEP,
  fit = STOWAGE_STEP_FIT,
  repair = STOWAGE_STEP_REPAIR,
  window = STOWAGE_STEP_WINDOW,
  hints = STOWAGE_STEP_HINTS,
  fresh = STOWAGE_STEP_FRESH
};

// What became of a call of a session. It is true if the change was made or, from fits, could be made.
struct answer {
  stowage::status status = stowage::status::unknown;
  stowage::step step = stowage::step::none;  // that found the plan
  std::vector<int64_t> offsets;              // of the buffers that the call is about; empty if it is not true
  std::vector<int64_t> pools;                // theirs, if the session has several
  int64_t moved_cost = 0, moved_buffers = 0, moved_bytes = 0, moved_slots = 0;  // of the other buffers
  bool least = false;                        // no plan moves less
  int64_t enough = 0;                        // if unknown: a capacity for which a planner found a plan; 0 for none
  int64_t nodes = 0;
  std::string why;                           // if infeasible: "load", "collision", "pin", "search" or "rules"
  int64_t proof_time = 0, proof_load = 0, proof_bound = 0;
  std::string reason;                        // if infeasible: why, in a sentence

  explicit operator bool() const { return status == stowage::status::feasible; }
};

// Rules of a session are about buffers by their names; value is the distance of a tie, or of two that meet in one slot.
// unbind takes no distances, and a tie of a buffer with itself takes that one out of its group.
struct named_pair {
  std::string first{}, second{};
  int64_t value = 0;
};
struct named_rules {
  std::vector<named_pair> together{}, apart{}, may_overlap{}, distances{};
};

// A session keeps a problem with a valid plan while buffers come, leave, grow, shift and are pinned (docs/sessions.md).
// It opens with the problem and options of a solver, which it copies.
//
//     stowage::session plan(s);
//     if (auto a = plan.fits("t7", 3, 9, 4096)) plan.add("t7", 3, 9, 4096);
//     else puts(a.reason.c_str());
//
// The problem may have rules, but for what has a price. If rules are to come later, give the solver stowage::rules{}.
//
// A problem that has no plan throws an error whose code is STOWAGE_INFEASIBLE or STOWAGE_UNKNOWN. A call after close
// throws, and so does a call of another thread while one runs.
class session {
 public:
  struct options {
    int64_t alignment = 0;                 // the least alignment of each buffer
    stowage::step effort = stowage::step::none;  // the last step that a call may take; none is fresh
    std::vector<int64_t> weights{};        // what a byte of each buffer costs if it moves; empty: 1
    std::vector<int64_t> offsets{};        // a valid plan to begin with; empty: the session plans by itself
    std::vector<int64_t> pools{};          // those of the plan, if there are several
  };

  explicit session(solver &problem) : session(problem, options()) {}
  session(solver &problem, const options &o) {
    const auto at = [](const std::vector<int64_t> &column) { return column.empty() ? nullptr : column.data(); };
    const stowage_session_options c{o.alignment, int64_t(o.effort), at(o.weights), at(o.pools)};
    for (const std::vector<int64_t> *column : {&o.weights, &o.offsets, &o.pools})
      if (!column->empty() && column->size() != problem.count())
        throw error(STOWAGE_E_INPUT, "session: weights, offsets and pools have one number for each buffer");
    stowage_session *opened = nullptr;
    const int code = stowage_session_open(problem.get(), at(o.offsets), &c, sizeof c, &opened);
    handle_.reset(opened);
    if (code == STOWAGE_E_MEMORY) throw std::bad_alloc();
    if (code < 0) throw error(code, stowage_error(problem.get()));
    if (code == STOWAGE_INFEASIBLE) throw error(code, std::string("no plan exists: ") + stowage_reason(problem.get()));
    if (code != STOWAGE_FEASIBLE) throw error(code, "no plan was found before the limit");
    token_ = problem.state_->end;
  }

  answer fits(const std::string &id, int64_t lower, int64_t upper, int64_t size, int64_t alignment = 1) {
    return one([&](int64_t *at) { return stowage_session_fits(get(), text(id), lower, upper, size, alignment, at); });
  }
  answer add(const std::string &id, int64_t lower, int64_t upper, int64_t size, int64_t alignment = 1) {
    return one([&](int64_t *at) { return stowage_session_add(get(), text(id), lower, upper, size, alignment, at); });
  }

  // place adds all buffers of a solver, or none; fits asks whether they could be added. rules are about these buffers and
  // those of the session, beside the rules of the solver itself.
  answer place(solver &buffers, stowage::step effort = stowage::step::none) { return placed(buffers, nullptr, effort, true); }
  answer fits(solver &buffers) { return placed(buffers, nullptr, stowage::step::none, false); }
  answer place(solver &buffers, const named_rules &rules, stowage::step effort = stowage::step::none) {
    return placed(buffers, solver_of(rules).get(), effort, true);
  }
  answer fits(solver &buffers, const named_rules &rules) {
    return placed(buffers, solver_of(rules).get(), stowage::step::none, false);
  }

  // bind adds rules about buffers of the session, and unbind takes rules out.
  answer bind(const named_rules &rules) { return told(stowage_session_bind(get(), solver_of(rules).get()), {}); }
  answer unbind(const named_rules &rules) { return told(stowage_session_unbind(get(), solver_of(rules).get()), {}); }

  // replace gives a buffer all that a solver says of its only one, which has its name.
  answer replace(solver &other) {
    return one([&](int64_t *at) { return stowage_session_replace(get(), other.get(), at); });
  }

  answer resize(const std::string &id, int64_t size) {
    return one([&](int64_t *at) { return stowage_session_resize(get(), text(id), size, at); });
  }
  answer retime(const std::string &id, int64_t lower, int64_t upper) {
    return one([&](int64_t *at) { return stowage_session_retime(get(), text(id), lower, upper, at); });
  }
  void remove(const std::string &id) { check(stowage_session_remove(get(), text(id))); }

  // pin fixes a buffer at an offset, or where it lies.
  answer pin(const std::string &id, std::optional<int64_t> offset = std::nullopt) {
    return pinned(stowage_session_pin(get(), text(id), offset.value_or(STOWAGE_NONE)), id);
  }
  answer pin_in(const std::string &id, int64_t pool, std::optional<int64_t> offset = std::nullopt) {
    return pinned(stowage_session_pin_in(get(), text(id), pool, offset.value_or(STOWAGE_NONE)), id);
  }
  void unpin(const std::string &id) { check(stowage_session_unpin(get(), text(id))); }

  // limit gives the session another capacity; 0 is none. replan looks for a plan of at most a height; 0 is the lowest.
  answer limit(int64_t capacity) { return told(stowage_session_limit(get(), capacity), {}); }
  answer limit_pool(int64_t pool, int64_t capacity) { return told(stowage_session_limit_pool(get(), pool, capacity), {}); }
  answer replan(int64_t height = 0, stowage::step effort = stowage::step::none) {
    return told(stowage_session_replan(get(), height, int(effort)), {});
  }

  int64_t mark() { return check(stowage_session_mark(get())); }
  void rollback(int64_t mark) { check(stowage_session_rollback(get(), mark)); }
  void commit(int64_t mark) { check(stowage_session_commit(get(), mark)); }

  // weigh says what a byte of a buffer that comes later costs if it moves. use makes calls end once the token is cancelled.
  void weigh(const std::string &id, int64_t weight) { check(stowage_session_set_weight(get(), text(id), weight)); }
  void use(const token &t) {
    check(stowage_session_set_token(get(), t.get()));
    token_ = t;
  }

  std::size_t count() const { return std::size_t(check(stowage_session_count(get()))); }
  int64_t offset(const std::string &id) const { return check(stowage_session_offset(get(), text(id))); }
  int64_t pool_of(const std::string &id) const { return check(stowage_session_pool_of(get(), text(id))); }
  int64_t height() const { return check(stowage_session_height(get())); }
  int64_t load() const { return check(stowage_session_load(get())); }
  int64_t capacity() const { return check(stowage_session_capacity(get())); }

  // offsets and pools are in the order in which the buffers arrived. snapshot returns a solver with the problem and the plan.
  std::vector<int64_t> offsets() const { return column_of(stowage_session_offsets); }
  std::vector<int64_t> pools() const { return column_of(stowage_session_pools); }
  solver snapshot() const {
    solver s;
    check(stowage_session_snapshot(get(), s.get()));
    s.state_->json = s.state_->given = true;
    return s;
  }

  void close() { check(stowage_session_close(get())); }
  stowage_session *get() const noexcept { return handle_.get(); }

 private:
  struct free_session {
    void operator()(stowage_session *s) const noexcept { stowage_session_free(s); }
  };
  std::optional<token> token_;  // outlives the calls
  std::unique_ptr<stowage_session, free_session> handle_;

  template <class T>
  T check(T code) const {
    if (code == STOWAGE_E_MEMORY) throw std::bad_alloc();
    if (code < 0) throw error(int(code), stowage_session_error(get()));
    return code;
  }

  static const char *text(const std::string &id) {
    if (id.find('\0') != std::string::npos) throw error(STOWAGE_E_INPUT, "id: it has a zero byte in it");
    return id.c_str();
  }

  std::vector<int64_t> column_of(int64_t (*of)(stowage_session *, int64_t, int64_t *)) const {
    std::vector<int64_t> column(count() + 1);
    column.resize(std::size_t(check(of(get(), std::int64_t(column.size()), column.data()))));
    return column;
  }

  // one makes a call that writes the offset of one buffer, and placed one about the buffers of a solver.
  template <class Call>
  answer one(Call call) const {
    int64_t at = STOWAGE_NONE;
    const int code = call(&at);
    return told(code, {at});
  }
  answer placed(solver &buffers, stowage_solver *rules, stowage::step effort, bool keep) const {
    std::vector<int64_t> at(buffers.count() + 1);
    const int code = keep ? stowage_session_place_with(get(), buffers.get(), rules, int(effort), at.data())
                          : stowage_session_fits_with(get(), buffers.get(), rules, at.data());
    at.resize(buffers.count());
    return told(code, std::move(at));
  }

  // solver_of returns a solver with rules about buffers that it knows by their names.
  static solver solver_of(const named_rules &all) {
    std::map<std::string, int64_t> number;
    std::vector<std::string> names;
    const auto of = [&](const std::string &name) {
      const auto [it, added] = number.emplace(name, std::int64_t(names.size()));
      if (added) names.push_back(name);
      return it->second;
    };
    stowage::rules r;
    for (const named_pair &x : all.together) r.together.push_back({of(x.first), of(x.second), x.value});
    for (const named_pair &x : all.apart) r.apart.push_back({of(x.first), of(x.second)});
    for (const named_pair &x : all.may_overlap) r.may_overlap.push_back({of(x.first), of(x.second)});
    for (const named_pair &x : all.distances) r.distances.push_back({of(x.first), of(x.second), x.value});
    const std::vector<int64_t> none(names.size());
    solver s;
    s.buffers(none, none, none).names(std::move(names)).rules(r);
    return s;
  }

  answer pinned(int code, const std::string &id) const {
    answer a = told(code, {STOWAGE_NONE});
    if (a) a.offsets = {check(stowage_session_offset(get(), text(id)))};
    return a;
  }

  answer told(int code, std::vector<int64_t> offsets) const {
    check(code);
    stowage_session_answer c;
    check(stowage_session_get_answer(get(), &c, sizeof c));
    answer a;
    a.status = stowage::status(c.status), a.step = stowage::step(c.step);
    a.moved_cost = c.moved_cost, a.moved_buffers = c.moved_buffers, a.moved_bytes = c.moved_bytes, a.moved_slots = c.moved_slots;
    a.least = c.least != 0, a.enough = c.enough, a.nodes = c.nodes;
    a.why = c.why, a.proof_time = c.proof_time, a.proof_load = c.proof_load, a.proof_bound = c.proof_bound;
    if (a && c.pools != nullptr) a.pools.assign(c.pools, c.pools + offsets.size());
    if (a) a.offsets = std::move(offsets);
    if (a.status == stowage::status::infeasible) a.reason = stowage_session_proof(get());
    return a;
  }
};

// plan_of plans once.
inline plan plan_of(const std::vector<buffer> &buffers, const options &o = {}) {
  return solver().buffers(buffers).set(o).solve();
}

}  // namespace stowage

#endif
