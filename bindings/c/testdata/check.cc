// What stowage.hpp says, asked of it, compiled as C++17 and later, with all warnings and
// with sanitizers.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <thread>
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

#include "stowage.hpp"

#define CHECK(what)                                                              \
  do {                                                                           \
    if (!(what)) {                                                               \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);    \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

// refused returns the text of the error that a call throws.
template <class F>
static std::string refused(F call, int code = STOWAGE_E_INPUT) {
  try {
    call();
  } catch (const stowage::error &e) {
    CHECK(e.code() == code);
    return e.what();
  }
  return "nothing was thrown";
}

static bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

static void plans() {
  stowage::solver s;
  stowage::plan p = s.buffers({}, {}, {}).solve();  // of no buffers
  CHECK(p && p.offsets.empty() && p.height == 0);
  p = s.buffers({0, 3, 0, 9, 0}, {3, 9, 9, 21, 21}, {4, 4, 4, 4, 4}).solve();
  CHECK(p && p.status == stowage::status::optimal && p.stopped == stowage::stop::finished && p.height == 12 && p.lower_bound == 12);
  CHECK(p.offsets.size() == 5 && p.planner == "auto" && p.reason.empty() && p.elapsed.count() > 0 && p.capacity == 0);
  CHECK(!p.found_by.empty() && p.proved_by == "bound" && p.ended == "proof");
  CHECK(has(s.stats(), "\"proved_by\": \"bound\",\n  \"ended\": \"proof\"\n}\n") && has(refused([] { stowage::solver().stats(); }), "no outcome"));
  CHECK(has(refused([] { stowage::solver().fits(1); }), "no run has ended"));
  for (auto call : {+[](stowage::solver &e) { e.solve(); }, +[](stowage::solver &e) { e.size(); }, +[](stowage::solver &e) { e.start(); }}) {
    stowage::solver e;
    CHECK(has(refused([&] { call(e); }), "the solver has no problem: call buffers, read_json or generate first"));
    e.buffers(std::vector<int64_t>{}, std::vector<int64_t>{}, std::vector<int64_t>{});
    CHECK(e.solve() && e.read_json("{\"buffers\": []}").solve()); // no buffers are a problem too
  }
  CHECK((stowage::pool{"dram", 0, 1}.alignment == 1 && stowage::pool{"dram", 0, 1}.cost == 0 && stowage::pool{"dram", 0, 1, 1}.cost == 1));
  CHECK(s.fits(12) == stowage::status::feasible && s.fits(11) == stowage::status::infeasible);
  stowage::options small;
  small.capacity = 5;
  CHECK(s.set(small).size().height == 12 && s.fits(12) == stowage::status::feasible && !s.solve());
  CHECK(s.fits(5) == stowage::status::infeasible && s.fits(100) == stowage::status::unknown);
  p = s.set({}).solve();
  std::string first;
  CHECK(s.verify(p.offsets) == 0 && s.bound() == 12);
  CHECK(s.verify(std::vector<int64_t>{0, 0, 0, 0, 8}, &first) > 0 && !first.empty());

  // Any whole numbers in any container, also temporaries: they are copied.
  const int size[] = {4, 4, 4, 4, 4};
  s.buffers(std::deque<short>{0, 3, 0, 9, 0}, std::array<uint64_t, 5>{3, 9, 9, 21, 21}, size);
  CHECK(s.count() == 5 && s.solve().height == 12);
#ifdef __cpp_lib_span
  s.buffers(std::span<const int>(size), std::span<const int>(size), std::span<const int>(size));
  CHECK(has(refused([&] { s.solve(); }), "upper"));
  s.buffers({0, 3, 0, 9, 0}, {3, 9, 9, 21, 21}, {4, 4, 4, 4, 4});
#endif

  // Infeasible is no error, and says why.
  stowage::options o;
  o.capacity = 11;
  p = s.set(o).solve();
  CHECK(!p && p.status == stowage::status::infeasible && p.offsets.empty() && p.capacity == 11);
  CHECK(p.reason == "In [0, 3) 3 buffers take 12, which is 1 more than the capacity of 11. They are 0 (4), 2 (4) and 4 (4).");
  stowage::explanation e = s.explain();
  CHECK(e.buffers.size() == 3 && e.limit.empty() && has(e.reason, "1 too much"));
  o.capacity = 100;
  CHECK(s.set(o).explain().buffers.empty());

  // A solver can be moved, and what it has copied is where the library knows it.
  stowage::solver moved(std::move(s));
  CHECK(moved.solve().height == 12);
  std::vector<stowage::solver> several;
  for (int k = 0; k < 20; k++) {
    several.emplace_back();
    several.back().buffers({0, 0}, {1, 1}, {k + 1, 5});
  }
  for (int k = 0; k < 20; k++) CHECK(several[std::size_t(k)].solve().height == k + 6);
}

static void columns() {
  std::vector<stowage::buffer> all(4);
  all[0] = {0, 4, 10, 8, {}, {}, {}, "a"};
  all[1] = {1, 3, 7, 1, 32, {}, {}, "b \"quoted\""};
  all[2] = {0, 9, 5, 4, {}, 3, {{2, 4}, {5, 6, 1, 2}}, "c"};
  all[3].lower = 2, all[3].upper = 4, all[3].size = 5, all[3].name = "d";
  stowage::options o;
  o.planner = "exact", o.capacity = 64, o.minimize = true, o.timeout = std::chrono::seconds(10), o.nodes = 100000, o.workers = 2;
  o.seed = ~uint64_t(0), o.without = {"memo"}, o.set = {{"orders", "TWA"}};
  stowage::plan p = stowage::plan_of(all, o);
  CHECK(p && p.planner == "exact" && p.offsets[1] == 32 && p.offsets[0] % 8 == 0 && p.offsets[2] % 4 == 0 && p.height == 39);
  CHECK(stowage::plan_of({{0, 2, 600}, {0, 4, 300}, {1, 4, 500, 64}}).height >= 1400); // short, and no warning

  stowage::solver s;
  s.buffers(all).set(o);
  s.solve();
  const std::string json = s.json();
  CHECK(has(json, "\"id\": \"b \\\"quoted\\\"\"") && has(json, "\"window\": [1, 2]") && has(json, "\"offsets\": ["));
  stowage::solver again;
  CHECK(stowage::solver().generate("{\"kind\": \"random\", \"buffers\": 9}").count() == 9);
  CHECK(has(refused([&] { stowage::solver().generate("{}"); }), "no generator") && s.load() > 0 && s.load() <= 39 && s.digest().size() == 16);
  CHECK(again.read_json(json).count() == 4 && again.set(o).solve().offsets == p.offsets);
  CHECK(s.starting_plan(p.offsets).solve().height == 39);
  s.starting_plan(std::vector<int>{});

  all[3].name = "c";
  CHECK(has(refused([&] { s.buffers(all).solve(); }), "duplicate"));
  all[3].name = "";
  CHECK(has(refused([&] { s.buffers(all).solve(); }), "empty"));
}

static void faults() {
  stowage::solver s;
  CHECK(refused([&] { s.buffers({0, 1}, {1}, {1, 1}); }) == "upper: it has 1 entries, and there are 2 buffers");
  CHECK(has(refused([&] { s.buffers(std::vector<uint64_t>{~uint64_t(0)}, std::vector<int>{1}, std::vector<int>{1}); }), "does not fit 64 bits"));
  s.buffers({0, 3, 0}, {3, 9, 9}, {4, 4, 4});
  CHECK(has(refused([&] { s.alignments(std::vector<int>{1, 2}); }), "alignment: it has 2 entries, and there are 3 buffers"));
  CHECK(has(refused([&] { s.buffers({3, 3}, {1, 1}, {-1, 1}).solve(); }), "buffer 1: upper"));
  s.buffers({0, 3, 0}, {3, 9, 9}, {4, 4, 4});
  stowage::options o;
  o.planner = "exat";
  CHECK(has(refused([&] { s.set(o); }), "no planner is named \"exat\"; did you mean exact?"));
  o.planner = "", o.capacity = -5;
  CHECK(has(refused([&] { s.set(o); }), "capacity \"-5\""));
  o.capacity = 0, o.without = {"a\nb\x01"};
  CHECK(has(refused([&] { s.set(o); }), "no technique"));
  CHECK(has(refused([&] { s.set_json("{\"timeout\": \"soon\"}"); }), "timeout \"soon\""));
  CHECK(has(refused([&] { s.set_json({}); }), "empty") && has(refused([&] { s.read_json({}); }), "empty"));
  CHECK(s.solve().height == 8);
}

static void runs() {
  // The buffers of a problem that nobody solves soon.
  std::vector<int64_t> lower, upper, size;
  uint64_t state = 1;
  auto draw = [&](uint64_t below) { return int64_t(((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % below); };
  for (int k = 0; k < 3000; k++) {
    lower.push_back(draw(400));
    upper.push_back(lower.back() + 1 + draw(101));
    size.push_back(1 + draw(1000));
  }
  stowage::solver s;
  s.buffers(lower, upper, size);

  // A callback that says when to end, one that says nothing, and one that throws.
  int calls = 0;
  int64_t height = 0;
  stowage::plan p = s.on_progress([&](const stowage::progress &q) {
    if (!q.offsets.empty()) {
      CHECK(q.offsets.size() == 3000 && q.height != height && q.offsets.end() - q.offsets.begin() == 3000);
      height = q.height;
    }
    return ++calls < 4;
  }).solve();
  CHECK(p && p.stopped == stowage::stop::cancelled && calls == 4 && s.verify(p.offsets) == 0);
  CHECK(height > 0 && p.height <= height);
  bool thrown = false;
  try {
    s.on_progress([](const stowage::progress &) { throw std::logic_error("mine"); }).solve();
  } catch (const std::logic_error &e) {
    thrown = std::string(e.what()) == "mine";
  }
  CHECK(thrown);
  stowage::options o;
  o.timeout = std::chrono::milliseconds(120);
  calls = 0;
  p = s.set(o).on_progress([&calls](const stowage::progress &) { calls++; }).solve();
  CHECK(p && p.stopped == stowage::stop::timeout && calls > 0);
  s.on_progress(nullptr).set({});

  // A token that goes before the solver does, cancelled by another thread.
  {
    stowage::token t;
    s.use(t);
    std::thread other([t] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      t.cancel();
    });
    s.start();
    CHECK(!s.wait(std::chrono::milliseconds(1)));
    CHECK(has(refused([&] { s.buffers({0}, {1}, {1}); }, STOWAGE_E_BUSY), "in use"));
    CHECK(has(refused([&] { s.alignments(size); }, STOWAGE_E_BUSY), "in use") && has(refused([&] { s.solve(); }, STOWAGE_E_BUSY), "in use"));
    p = s.wait();
    other.join();
    CHECK(p && p.stopped == stowage::stop::cancelled && p.offsets.size() == 3000);
    t.reset();
  }
  s.start();  // the destructor ends it
}

// memories plans two pools, and asks for pools and measures. Rules go with the buffers.
static void memories() {
  stowage::solver s;
  stowage::rules r;
  r.pools = {{"tcm", 64, 1, 0, {{0, 16}}}, {"dram", 0, 1, 1}};
  r.apart = {{0, 3}};
  r.penalties = {{1, 3, 5}};
  r.objective = {"cost", "penalty", "height"};
  s.buffers({0, 1, 2, 5}, {4, 5, 6, 8}, {24, 24, 16, 32}).rules(r);
  stowage::plan p = s.solve();
  CHECK(p.status == stowage::status::optimal && p.pools.size() == 4 && p.parts.empty() && s.verify(p) == 0);
  for (const stowage::barrier &b : s.barriers()) CHECK(b.turn == 0 && b.until <= b.at && p.pools[std::size_t(b.buffer)] == p.pools[std::size_t(b.behind)]);
  CHECK(s.measure("cost").first == 24 && *s.measure("cost").second == 24 && !s.measure("peak").second);
  std::string first;
  p.pools[3] = 5;
  CHECK(s.verify(p, &first) > 0 && has(first, "pool number 6") && has(refused([&] { s.measure("speed"); }, STOWAGE_E_INPUT), "speed"));
  r.threads = 2;
  CHECK(has(refused([&] { s.rules(r); }, STOWAGE_E_INPUT), "clocks"));
  r.threads = 0, r.costs = {{9, 0, 1}};
  s.rules(r);
  CHECK(has(refused([&] { s.solve(); }, STOWAGE_E_INPUT), "costs: there is no buffer of the number 9"));
  p = s.buffers({0}, {1}, {7}).solve();
  CHECK(p.height == 7 && p.pools.empty());
  s.read_json(R"({"version": 2, "pools": [{"id": "x", "capacity": 4}, {"id": "y"}], "buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 7}]})");
  p = s.solve();
  CHECK(p.pools.size() == 1 && p.pools[0] == 1 && s.verify(p) == 0);
  r = {};
  r.pools = {{"x"}, {"y"}}, r.objective = {"height"}, r.different_pools = {{0, 1}};
  CHECK(s.buffers({0, 1}, {1, 2}, {7, 7}).rules(r).solve().height == 14);
  r.different_pools.clear(), r.same_pool = {{1, 0}}, r.objective = {"max_height"};
  CHECK(s.buffers({0, 0}, {1, 1}, {7, 7}).rules(r).solve().height == 14 && s.measure("max_height").first == 14);
  r = {};
  r.pools = {{"x"}, {"y"}}, r.allowed = {{0, 0}, {1, 1}, {2, 1}}, r.lockstep = {{0, 2}}, r.objective = {"max_height"};
  CHECK(s.buffers({0, 0, 0}, {1, 1, 1}, {6, 5, 3}).rules(r).solve().offsets[0] == 0 && s.measure("max_height").first == 8);
  r = {};
  r.pools = {{"x"}}, r.pools[0].borders = {8};
  CHECK(s.buffers({0, 0}, {1, 1}, {6, 5}).rules(r).solve().height == 13);
  r.spans = {1};
  CHECK(s.rules(r).solve().height == 11);
  r = {};
  r.pools = {{"x"}}, r.pools[0].granularity = 8, r.kinds = {{0}, {1}};
  CHECK(s.rules(r).solve().height == 13);
  r = {};
  r.pools = {{"x"}, {"y"}}, r.pools[0].sizes = {{8, 1}, {16, 5}}, r.pools[1].sizes = {{8, 3}};
  CHECK(s.rules(r).solve().pools[0] != s.solve().pools[1] && s.measure("cost").first == 4);
  r = {};
  r.pools = {{"x"}, {"y"}}, r.alternatives = {{1, 0}}, r.objective = {"height"};
  p = s.rules(r).solve();
  CHECK(p.height == 5 && p.offsets[0] == STOWAGE_NONE && p.pools[0] == STOWAGE_NONE && s.verify(p) == 0);
  r = {};
  r.groups = {{{{0, 1}}, 4}, {{{0, 1}}, 3, STOWAGE_UNLESS_ALL_COINCIDE}}, r.objective = {"penalty"};
  CHECK(s.buffers({0, 1}, {1, 2}, {7, 5}).rules(r).solve().height == 12 && s.measure("penalty").first == 3);
  r = {};
  r.pools = {{"x"}}, r.pools[0].objects = true, r.objective = {"height", "objects"};
  CHECK(s.buffers({0, 1}, {1, 2}, {7, 5}).rules(r).solve().height == 7 && s.measure("objects").first == 1);
  s.buffers({0, 0}, {1, 1}, {7, 7});
  r = {};
  r.threads = 2, r.clock_lower = {0, 0, 1, 1}, r.clock_upper = {1, 1, 2, 2};  // one ends before the other starts
  CHECK(s.rules(r).solve().height == 7);
}

static void sessions() {
  stowage::buffer a{0, 3, 4}, b{3, 9, 4}, c{0, 9, 4};
  a.name = "a", b.name = "b", c.name = "c";
  stowage::solver s;
  stowage::options o;
  o.capacity = 16;
  s.buffers({a, b, c}).set(o);
  stowage::session::options with;
  with.offsets = {0, 12, 4};
  stowage::session plan(s, with);
  s.buffers({0}, {1}, {2});  // the session has a copy
  stowage::answer yes = plan.fits("x", 2, 6, 8);
  CHECK(yes && yes.offsets == std::vector<int64_t>{8} && yes.step == stowage::step::repair && yes.moved_bytes == 4 && yes.least && yes.reason.empty());
  stowage::answer no = plan.fits("x", 2, 6, 9);
  CHECK(!no && no.status == stowage::status::infeasible && no.offsets.empty() && no.why == "load" && no.proof_time == 2 && no.proof_load == 17);
  CHECK(no.reason == "at time 2 the live buffers need 17 bytes; the capacity is 16");
  const int64_t mark = plan.mark();
  CHECK(plan.add("x", 2, 6, 8).offsets[0] == 8 && plan.offset("x") == 8 && plan.count() == 4);
  CHECK(!plan.resize("a", 5));
  plan.rollback(mark);
  CHECK((plan.offsets() == std::vector<int64_t>{0, 12, 4}) && plan.height() == 16 && plan.load() == 8 && plan.capacity() == 16);
  plan.commit(plan.mark());
  CHECK(plan.retime("b", 3, 5).offsets[0] == 12 && plan.pin("b").offsets[0] == 12 && plan.limit(12).why == "pin");
  plan.unpin("b");
  CHECK(plan.limit(12) && plan.replan() && plan.height() == 8 && plan.replan(7, stowage::step::fit).status == stowage::status::infeasible);
  plan.weigh("y", 3);
  stowage::solver more;
  stowage::buffer y{9, 12, 8};
  y.name = "y", y.hint = 2;
  more.buffers({y});
  CHECK(plan.fits(more).offsets[0] == 2 && plan.place(more, stowage::step::keep).offsets[0] == 2);
  CHECK(refused([&] { plan.place(more); }).find("already") != std::string::npos);
  plan.remove("a");
  stowage::solver copy = plan.snapshot();
  CHECK(copy.count() == 3 && copy.json().find("\"offsets\"") != std::string::npos);
  stowage::session again(copy), moved(std::move(again));
  CHECK(moved.count() == 3 && moved.capacity() == 12);

  stowage::token t;
  plan.use(t);
  t.cancel();
  CHECK(plan.add("z", 0, 1, 1).status == stowage::status::unknown && plan.count() == 3);
  CHECK(refused([&] { plan.remove("z"); }).find("not in the session") != std::string::npos);
  CHECK(refused([&] { plan.remove(std::string("b\0c", 3)); }).find("zero byte") != std::string::npos);
  plan.close();
  CHECK(refused([&] { plan.mark(); }) == "the session is closed" && refused([&] { plan.fits("z", 0, 1, 1); }) == "the session is closed");
  o.capacity = 1;
  s.set(o);
  try {
    stowage::session none(s);
    CHECK(false);
  } catch (const stowage::error &e) {
    CHECK(e.code() == STOWAGE_INFEASIBLE && std::string(e.what()).find("need 2 bytes") != std::string::npos);
  }
  with.offsets = {0, 1, 2};
  CHECK(refused([&] { stowage::session none(s, with); }).find("for each buffer") != std::string::npos);
}

// ruled_sessions is the Go code of docs/sessions.md, section With rules.
static void ruled_sessions() {
  stowage::buffer a{0, 4, 8}, b{4, 9, 8}, c{0, 9, 4};
  a.name = "a", b.name = "b", c.name = "c";
  stowage::rules r;
  r.pools = {{"sram", 12}, {"dram"}}, r.allowed = {{2, 0}};
  stowage::solver s;
  s.buffers({a, b, c}).rules(r);
  stowage::session::options with;
  with.offsets = {0, 0, 8}, with.pools = {0, 0, 0};
  stowage::session plan(s, with);
  const int64_t mark = plan.mark();
  stowage::answer apart = plan.bind({{}, {{"a", "b"}}});
  CHECK(apart && apart.step == stowage::step::repair && apart.moved_bytes == 8 && apart.pools.empty());
  stowage::solver more;
  stowage::buffer v{2, 6, 2};
  v.name = "view";
  more.buffers({v});
  stowage::named_rules tie;
  tie.together = {{"a", "view", 4}};
  stowage::answer view = plan.fits(more, tie);
  CHECK(view && view.offsets == std::vector<int64_t>{4} && view.pools == std::vector<int64_t>{1} && plan.count() == 3);
  CHECK(plan.place(more, tie, stowage::step::keep).pools == std::vector<int64_t>{1} && plan.pool_of("view") == 1);
  stowage::answer less = plan.limit_pool(0, 3);
  CHECK(less.status == stowage::status::infeasible && less.why == "rules" && less.reason == "buffer \"c\" of 4 has no place: in the pool \"sram\" it takes 4, more than the capacity of 3" && less.pools.empty());
  CHECK((plan.offsets() == std::vector<int64_t>{0, 0, 8, 4}) && (plan.pools() == std::vector<int64_t>{1, 0, 0, 1}));
  stowage::solver copy = plan.snapshot();
  CHECK(has(copy.json(), "\"together\"") && copy.measure("height:dram").first == 8);
  stowage::session again(copy);
  CHECK(again.count() == 4 && again.pool_of("a") == again.pool_of("view"));
  tie.together = {{"view", "view"}};
  CHECK(plan.unbind(tie) && has(refused([&] { plan.unbind(tie); }), "is tied to no buffer"));
  CHECK(plan.pin_in("view", 1, 20).pools == std::vector<int64_t>{1} && plan.pin("view").offsets == std::vector<int64_t>{20});
  v.lower = 7, v.upper = 8, v.fixed = {};
  more.buffers({v});
  CHECK(plan.replace(more).offsets.size() == 1 && plan.resize("view", 3).pools.size() == 1);
  plan.rollback(mark);
  CHECK(plan.pool_of("a") == 0 && has(refused([&] { plan.bind({{}, {{"a", "x"}}}); }), "not in the session"));
  CHECK(has(refused([&] { plan.limit(9); }), "2 pools") && has(refused([&] { plan.pin_in("a", 7); }), "there are 2"));
  with.pools = {0};
  CHECK(has(refused([&] { stowage::session none(s, with); }), "pools have one number for each buffer"));
  s.buffers({a, b}).rules(stowage::rules{});
  stowage::session later(s);
  CHECK(later.bind({{}, {{"a", "b"}}}) && later.height() == 16 && later.pools() == std::vector<int64_t>(2));
  stowage::solver plain;
  plain.buffers({a, b});
  stowage::session without(plain);
  CHECK(has(refused([&] { without.bind({}); }, STOWAGE_E_UNSUPPORTED), "without rules"));
}

int main() {
  plans();
  memories();
  columns();
  faults();
  runs();
  sessions();
  ruled_sessions();
  std::puts("all of stowage.hpp");
}
