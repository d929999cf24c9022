// What sessions answer, from C. Without an argument it checks what each function does and refuses; "threads" calls from
// several threads; "leaks" makes many calls.
#include <pthread.h>
#ifdef __linux__
#include <sys/wait.h>
#endif

#include "check.h"

// abc returns a session with the buffers a, b and c of docs/sessions.md.
static stowage_session *abc(stowage_solver *s) {
	static const int64_t lower[] = {0, 3, 0}, upper[] = {3, 9, 9}, size[] = {4, 4, 4}, at[] = {0, 12, 4};
	static const char *const names[] = {"a", "b", "c"};
	stowage_session *plan;
	CHECK(stowage_set_buffers(s, 3, lower, upper, size) == STOWAGE_OK);
	CHECK(stowage_set_names(s, names) == STOWAGE_OK);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 16) == STOWAGE_OK);
	CHECK(stowage_session_open(s, at, NULL, 0, &plan) == STOWAGE_FEASIBLE);
	return plan;
}

static void answers(void) {
	stowage_solver *s = stowage_new();
	stowage_session *plan = abc(s);
	stowage_session_answer a;
	int64_t at = -7, all[8], mark;
	CHECK(stowage_session_count(plan) == 3 && stowage_session_height(plan) == 16);
	CHECK(stowage_session_capacity(plan) == 16 && stowage_session_load(plan) == 8);
	CHECK(stowage_session_fits(plan, "x", 2, 6, 8, 0, &at) == STOWAGE_FEASIBLE && at == 8);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == STOWAGE_OK);
	CHECK(a.step == STOWAGE_STEP_REPAIR && a.moved_bytes == 4 && a.moved_buffers == 1 && a.moved_cost == 4 && a.least);
	CHECK(stowage_session_count(plan) == 3 && stowage_session_offset(plan, "x") == STOWAGE_E_INPUT);
	at = -7;
	CHECK(stowage_session_fits(plan, "x", 2, 6, 9, 0, &at) == STOWAGE_INFEASIBLE && at == -7);
	CHECK(strcmp(stowage_session_proof(plan), "at time 2 the live buffers need 17 bytes; the capacity is 16") == 0);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == STOWAGE_OK);
	CHECK(strcmp(a.why, "load") == 0 && a.proof_time == 2 && a.proof_load == 17 && a.proof_bound == 17);
	CHECK(stowage_session_error(plan)[0] == 0);
	mark = stowage_session_mark(plan);
	CHECK(mark > 0 && stowage_session_proof(plan)[0] == 0);
	CHECK(stowage_session_add(plan, "x", 2, 6, 8, 0, &at) == STOWAGE_FEASIBLE && at == 8);
	CHECK(stowage_session_offset(plan, "x") == 8);
	CHECK(stowage_session_resize(plan, "a", 5, NULL) == STOWAGE_INFEASIBLE);
	CHECK(stowage_session_rollback(plan, mark) == STOWAGE_OK);
	CHECK(stowage_session_offsets(plan, 8, all) == 3 && all[0] == 0 && all[1] == 12 && all[2] == 4);
	all[1] = 77;
	CHECK(stowage_session_offsets(plan, 1, all) == 3 && all[1] == 77 && stowage_session_offsets(plan, 0, NULL) == 3);
	CHECK(stowage_session_rollback(plan, mark) == STOWAGE_E_INPUT && stowage_session_error(plan)[0] != 0);
	CHECK(stowage_session_commit(plan, mark) == STOWAGE_E_INPUT);
	mark = stowage_session_mark(plan);
	CHECK(stowage_session_retime(plan, "b", 3, 5, &at) == STOWAGE_FEASIBLE && at == 12);
	CHECK(stowage_session_commit(plan, mark) == STOWAGE_OK);
	CHECK(stowage_session_pin(plan, "b", STOWAGE_NONE) == STOWAGE_FEASIBLE && stowage_session_offset(plan, "b") == 12);
	CHECK(stowage_session_limit(plan, 12) == STOWAGE_INFEASIBLE);
	CHECK(strstr(stowage_session_proof(plan), "\"b\"") != NULL && stowage_session_capacity(plan) == 16);
	CHECK(stowage_session_unpin(plan, "b") == STOWAGE_OK);
	CHECK(stowage_session_limit(plan, 12) == STOWAGE_FEASIBLE && stowage_session_capacity(plan) == 12);
	CHECK(stowage_session_replan(plan, 0, STOWAGE_STEP_NONE) == STOWAGE_FEASIBLE && stowage_session_height(plan) == 8);
	CHECK(stowage_session_replan(plan, 7, STOWAGE_STEP_FIT) == STOWAGE_INFEASIBLE);
	CHECK(stowage_session_pin(plan, "a", 3) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == STOWAGE_OK && a.moved_buffers == 1);
	CHECK(stowage_session_remove(plan, "a") == STOWAGE_OK && stowage_session_count(plan) == 2);

	// A program that was compiled for fewer fields gets those.
	memset(&a, 7, sizeof a);
	CHECK(stowage_session_get_answer(plan, &a, 8) == STOWAGE_OK && a.least == 0x07070707);

	stowage_session_free(plan);
	stowage_free(s);
}

// many: buffers that come by a solver, with all that buffers may have, and go back into one.
static void many(void) {
	stowage_solver *s = stowage_new(), *more = stowage_new(), *copy = stowage_new();
	stowage_session *plan = abc(s), *own;
	int64_t lower[] = {0, 9}, upper[] = {9, 12}, size[] = {4, 8}, fixed[] = {8, -1}, hint[] = {-1, 2}, alignment[] = {4, 2};
	int64_t first[] = {0, 1, 1}, gap_lower[] = {2}, gap_upper[] = {5}, at[2] = {-7, -7}, k;
	const char *names[] = {"x", "y"};
	char *text;
	CHECK(stowage_set_buffers(more, 2, lower, upper, size) == 0 && stowage_set_names(more, names) == 0);
	CHECK(stowage_set_fixed(more, fixed) == 0 && stowage_set_hints(more, hint) == 0 && stowage_set_alignments(more, alignment) == 0);
	CHECK(stowage_set_gaps(more, first, gap_lower, gap_upper, NULL, NULL) == 0);
	CHECK(stowage_session_fits_all(plan, more, at) == STOWAGE_FEASIBLE && at[0] == 8 && at[1] == 2 && stowage_session_count(plan) == 3);
	at[0] = -7;
	CHECK(stowage_session_place(plan, more, STOWAGE_STEP_KEEP, at) == STOWAGE_FEASIBLE && at[0] == 8);
	fixed[0] = 1; // the session has copies of all columns
	hint[1] = 5;
	gap_lower[0] = 3;
	CHECK(stowage_session_place(plan, more, STOWAGE_STEP_NONE, at) == STOWAGE_E_INPUT);
	CHECK(strstr(stowage_session_error(plan), "in the session already") != NULL && stowage_error(more)[0] == 0);
	CHECK(stowage_session_place(plan, more, 7, at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "step 7") != NULL);
	CHECK(stowage_session_place(plan, NULL, 0, at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "solver") != NULL);
	CHECK(stowage_session_snapshot(plan, copy) == STOWAGE_OK && stowage_count(copy) == 5);
	text = (char *)stowage_json(copy, NULL);
	CHECK(text != NULL && strstr(text, "\"gaps\"") != NULL && strstr(text, "\"lower\": 2,") != NULL && strstr(text, "\"offsets\"") != NULL);
	CHECK(strcmp(stowage_ended(copy), "fits") == 0 && stowage_stats(copy, NULL) != NULL);
	CHECK(stowage_barriers(copy, NULL, 0, NULL, NULL, NULL, NULL, NULL) > 0);
	CHECK(stowage_session_close(plan) == STOWAGE_OK);
	CHECK(stowage_json(copy, NULL) != NULL); // a snapshot lives on its own

	// From a snapshot another session begins, by itself and with a plan.
	CHECK(stowage_session_open(copy, NULL, NULL, 0, &own) == STOWAGE_FEASIBLE && stowage_session_offset(own, "x") == 8);
	stowage_session_free(own);

	// Weights: n needs 8 bytes. The first goes to the top, or the second to the bottom. The light one moves.
	for (k = 0; k < 2; k++) {
		int64_t low[] = {0, 0}, up[] = {8, 8}, bytes[] = {4, 4}, where[] = {4, 8}, weights[] = {3, 3};
		stowage_session_options o;
		stowage_session_answer a;
		memset(&o, 0, sizeof o);
		weights[k] = 1;
		o.weights = weights;
		CHECK(stowage_set_buffers(s, 2, low, up, bytes) == 0 && stowage_set(s, STOWAGE_CAPACITY, 16) == 0);
		CHECK(stowage_session_open(s, where, &o, sizeof o, &own) == STOWAGE_FEASIBLE);
		CHECK(stowage_session_add(own, "n", 0, 8, 8, 0, at) == STOWAGE_FEASIBLE && at[0] == 8 * k);
		CHECK(stowage_session_get_answer(own, &a, sizeof a) == STOWAGE_OK && a.moved_cost == 4);
		CHECK(stowage_session_remove(own, "n") == STOWAGE_OK);
		CHECK(stowage_session_set_weight(own, "m", 1 << 17) == STOWAGE_E_INPUT && stowage_session_set_weight(own, "0", 3) == STOWAGE_E_INPUT);
		CHECK(stowage_session_set_weight(own, "m", 3) == STOWAGE_OK);
		stowage_session_free(own);
	}
	stowage_session_free(plan);
	stowage_free(s);
	stowage_free(more);
	stowage_free(copy);
}

static void refusals(void) {
	stowage_solver *s = stowage_new();
	stowage_session *plan, *none = (stowage_session *)&s;
	stowage_session_answer a;
	stowage_session_options o;
	stowage_token *t = stowage_token_new();
	int64_t low[] = {0, 0}, up[] = {4, 4}, size[] = {4, 4}, at[] = {0, 0}, weights[] = {1, -1};
	const char *exact = "{\"planner\": \"exact\"}", *without = "{\"planner\": \"exact\", \"without\": [\"memo\"]}";
	CHECK(stowage_session_open(NULL, NULL, NULL, 0, &none) == STOWAGE_E_INPUT && none == NULL);
	CHECK(stowage_set_buffers(s, 2, low, up, size) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_open(s, at, NULL, 0, &none) == STOWAGE_E_INPUT && none == NULL && strstr(stowage_error(s), "offsets") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 7) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &none) == STOWAGE_INFEASIBLE && none == NULL && strstr(stowage_reason(s), "8 bytes") != NULL);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 12) == 0);
	memset(&o, 0, sizeof o);
	o.effort = 9;
	CHECK(stowage_session_open(s, NULL, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "effort") != NULL);
	o.effort = 0;
	o.weights = weights;
	CHECK(stowage_session_open(s, NULL, &o, sizeof o, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "weight") != NULL);
	CHECK(stowage_set_options(s, without, strlen(without)) == 0);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &none) == STOWAGE_E_INPUT && strstr(stowage_error(s), "techniques") != NULL);
	stowage_free(s);
	s = stowage_new();
	CHECK(stowage_set_buffers(s, 2, low, up, size) == 0 && stowage_set_options(s, exact, strlen(exact)) == 0);
	CHECK(stowage_set(s, STOWAGE_CAPACITY, 12) == 0);

	// A token ends calls, and they change nothing.
	CHECK(stowage_set_token(s, t) == 0);
	stowage_cancel(t);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &none) == STOWAGE_UNKNOWN && none == NULL);
	stowage_token_reset(t);
	CHECK(stowage_session_open(s, NULL, NULL, 0, &plan) == STOWAGE_FEASIBLE);
	stowage_cancel(t);
	CHECK(stowage_session_add(plan, "x", 0, 4, 4, 0, at) == STOWAGE_UNKNOWN && stowage_session_count(plan) == 2);
	CHECK(stowage_session_add(plan, "x", 0, 4, 5, 0, at) == STOWAGE_INFEASIBLE); // a proof by the load needs no time
	CHECK(stowage_session_set_token(plan, NULL) == 0 && stowage_session_add(plan, "x", 0, 4, 4, 0, at) == STOWAGE_FEASIBLE);

	// Wrong arguments, each with a text.
	CHECK(stowage_session_add(plan, NULL, 0, 4, 4, 0, at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "NULL") != NULL);
	CHECK(stowage_session_add(plan, "", 0, 4, 4, 0, at) == STOWAGE_E_INPUT && stowage_session_error(plan)[0] != 0);
	CHECK(stowage_session_add(plan, "x", 0, 4, 4, 0, at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "already") != NULL);
	CHECK(stowage_session_add(plan, "y", 4, 4, 4, 0, at) == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "y") != NULL);
	CHECK(stowage_session_add(plan, "y", 0, 4, -1, 0, at) == STOWAGE_E_INPUT && stowage_session_add(plan, "y", 0, 4, INT64_MAX, 0, at) == STOWAGE_E_INPUT);
	CHECK(stowage_session_add(plan, "y", 0, 4, 4, -3, at) == STOWAGE_E_INPUT);
	CHECK(stowage_session_remove(plan, "y") == STOWAGE_E_INPUT && strstr(stowage_session_error(plan), "y") != NULL);
	CHECK(stowage_session_resize(plan, "y", 4, at) == STOWAGE_E_INPUT && stowage_session_retime(plan, "y", 0, 1, at) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pin(plan, "y", STOWAGE_NONE) == STOWAGE_E_INPUT && stowage_session_unpin(plan, "y") == STOWAGE_E_INPUT);
	CHECK(stowage_session_pin(plan, "x", -2) == STOWAGE_E_INPUT && stowage_session_limit(plan, -1) == STOWAGE_E_INPUT);
	CHECK(stowage_session_replan(plan, -1, 0) == STOWAGE_E_INPUT && stowage_session_replan(plan, 0, -1) == STOWAGE_E_INPUT);
	CHECK(stowage_session_offset(plan, "y") == STOWAGE_E_INPUT && stowage_session_offsets(plan, 2, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_get_answer(plan, NULL, 0) == STOWAGE_E_INPUT && stowage_session_snapshot(plan, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_count(plan) == 3);

	// After the end every call is an error, and none crashes.
	CHECK(stowage_session_close(plan) == STOWAGE_OK && stowage_session_close(plan) == STOWAGE_OK);
	CHECK(stowage_session_add(plan, "y", 0, 4, 4, 0, at) == STOWAGE_E_INPUT && strcmp(stowage_session_error(plan), "the session is closed") == 0);
	CHECK(stowage_session_fits(plan, "y", 0, 4, 4, 0, at) == STOWAGE_E_INPUT && stowage_session_place(plan, s, 0, at) == STOWAGE_E_INPUT);
	CHECK(stowage_session_fits_all(plan, s, at) == STOWAGE_E_INPUT && stowage_session_remove(plan, "x") == STOWAGE_E_INPUT);
	CHECK(stowage_session_resize(plan, "x", 4, at) == STOWAGE_E_INPUT && stowage_session_retime(plan, "x", 0, 1, at) == STOWAGE_E_INPUT);
	CHECK(stowage_session_pin(plan, "x", 0) == STOWAGE_E_INPUT && stowage_session_unpin(plan, "x") == STOWAGE_E_INPUT);
	CHECK(stowage_session_limit(plan, 99) == STOWAGE_E_INPUT && stowage_session_replan(plan, 0, 0) == STOWAGE_E_INPUT);
	CHECK(stowage_session_mark(plan) == STOWAGE_E_INPUT && stowage_session_rollback(plan, 1) == STOWAGE_E_INPUT && stowage_session_commit(plan, 1) == STOWAGE_E_INPUT);
	CHECK(stowage_session_count(plan) == STOWAGE_E_INPUT && stowage_session_height(plan) == STOWAGE_E_INPUT && stowage_session_load(plan) == STOWAGE_E_INPUT);
	CHECK(stowage_session_capacity(plan) == STOWAGE_E_INPUT && stowage_session_offset(plan, "x") == STOWAGE_E_INPUT && stowage_session_offsets(plan, 0, NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_snapshot(plan, s) == STOWAGE_E_INPUT && stowage_session_set_token(plan, t) == STOWAGE_E_INPUT && stowage_session_set_weight(plan, "z", 2) == STOWAGE_E_INPUT);
	CHECK(stowage_session_get_answer(plan, &a, sizeof a) == STOWAGE_OK); // of the last call that had one
	CHECK(stowage_session_proof(plan)[0] == 0);
	stowage_session_free(plan);

	stowage_session_free(NULL);
	CHECK(stowage_session_count(NULL) == STOWAGE_E_INPUT && stowage_session_close(NULL) == STOWAGE_E_INPUT && stowage_session_mark(NULL) == STOWAGE_E_INPUT);
	CHECK(stowage_session_add(NULL, "x", 0, 1, 1, 0, NULL) == STOWAGE_E_INPUT && stowage_session_error(NULL)[0] != 0 && stowage_session_proof(NULL)[0] == 0);
	stowage_free(s);
	stowage_token_free(t);
}

// forked: in a forked child each call says so.
static void forked(void) {
#ifdef __linux__
	stowage_solver *s = stowage_new();
	stowage_session *plan = abc(s);
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		int good = stowage_session_count(plan) == STOWAGE_E_FORKED && stowage_session_close(plan) == STOWAGE_E_FORKED && strstr(stowage_session_error(plan), "forked") != NULL;
		stowage_session_free(plan);
		_exit(good ? 0 : 1);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	stowage_session_free(plan);
	stowage_free(s);
#endif
}

// Threads: one session is used by several threads, and each call answers or is refused as busy. Meanwhile each thread has a
// session of its own.
static stowage_session *shared;
static int32_t served, refused, ending;

static void *thread(void *number) {
	stowage_solver *s = stowage_new();
	stowage_session *own = abc(s);
	char id[16];
	int k;
	snprintf(id, sizeof id, "t%d", (int)(intptr_t)number);
	for (k = 0; k < 2000; k++) {
		int64_t at;
		int code = stowage_session_add(shared, id, 3 + k % 3, 9, 4, 0, &at);
		if (code == STOWAGE_FEASIBLE)
			while ((code = stowage_session_remove(shared, id)) == STOWAGE_E_BUSY)
				__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		CHECK(code == STOWAGE_OK || code == STOWAGE_E_BUSY || code == STOWAGE_INFEASIBLE || code == STOWAGE_E_INPUT);
		if (code == STOWAGE_E_INPUT) // another thread has closed it
			CHECK(__atomic_load_n(&ending, __ATOMIC_RELAXED));
		__atomic_fetch_add(code == STOWAGE_E_BUSY ? &refused : &served, 1, __ATOMIC_RELAXED);
		if (k == 1500 && number == NULL) {
			__atomic_store_n(&ending, 1, __ATOMIC_RELAXED);
			while (stowage_session_close(shared) == STOWAGE_E_BUSY)
				;
		}
		if (k % 8 == 0) {
			CHECK(stowage_session_add(own, "x", 2, 6, 8, 0, &at) == STOWAGE_FEASIBLE && at == 8);
			CHECK(stowage_session_remove(own, "x") == STOWAGE_OK && stowage_session_replan(own, 0, 0) == STOWAGE_FEASIBLE);
			CHECK(stowage_session_pin(own, "b", 12) == STOWAGE_FEASIBLE && stowage_session_unpin(own, "b") == STOWAGE_OK);
			CHECK(stowage_session_pin(own, "c", 4) == STOWAGE_FEASIBLE && stowage_session_unpin(own, "c") == STOWAGE_OK);
			CHECK(stowage_session_pin(own, "a", 0) == STOWAGE_FEASIBLE && stowage_session_unpin(own, "a") == STOWAGE_OK);
		}
	}
	stowage_session_free(own);
	stowage_free(s);
	return NULL;
}

static void threads(void) {
	pthread_t all[8];
	stowage_solver *s = stowage_new();
	intptr_t k;
	shared = abc(s);
	for (k = 0; k < 8; k++)
		CHECK(pthread_create(&all[k], NULL, thread, (void *)k) == 0);
	for (k = 0; k < 8; k++)
		CHECK(pthread_join(all[k], NULL) == 0);
	printf("%d calls served, %d refused\n", (int)served, (int)refused);
	CHECK(served > 1000);
	stowage_session_free(shared);
	stowage_free(s);
}

// once makes a session and eight calls.
static void once(int k) {
	stowage_solver *s = stowage_new();
	stowage_session *plan = abc(s);
	int64_t at, mark = stowage_session_mark(plan);
	CHECK(stowage_session_add(plan, "x", 2, 6, 8, 0, &at) == STOWAGE_FEASIBLE);
	CHECK(stowage_session_fits(plan, "y", 2, 6, 9, 0, &at) == STOWAGE_INFEASIBLE && stowage_session_remove(plan, "q") == STOWAGE_E_INPUT);
	CHECK(stowage_session_set_weight(plan, "y", 3) == STOWAGE_OK && stowage_session_rollback(plan, mark) == STOWAGE_OK);
	CHECK(stowage_session_snapshot(plan, s) == STOWAGE_OK);
	stowage_session_free(plan);
	stowage_free(s);
	(void)k;
}

int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		threads();
	else if (argc > 2 && strcmp(argv[1], "leaks") == 0)
		leaks(atoi(argv[2]), 8, once);
	else
		answers(), many(), refusals(), forked();
	return 0;
}
