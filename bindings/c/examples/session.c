/* A session with rules: two buffers are kept apart, a view is tied to one of them, and a memory is made smaller.
 * docs/sessions.md explains sessions. */
#include <stdio.h>
#include "stowage.h"

int main(void) {
    int64_t lower[] = {0, 4, 0}, upper[] = {4, 9, 9}, size[] = {8, 8, 4}, at[] = {0, 0, 8}, in[] = {0, 0, 0};
    int64_t room[] = {12, 0}, c[] = {2}, sram[] = {0}, any[2] = {0}, first[] = {0}, second[] = {1}, four[] = {4};
    int64_t from[] = {2}, until[] = {6}, bytes[] = {2}, offset;
    const char *names[] = {"a", "b", "c"}, *memories[] = {"sram", "dram"}, *view[] = {"view"}, *tied[] = {"a", "view"};
    stowage_solver *s = stowage_new(), *rules = stowage_new(), *more = stowage_new();
    stowage_session_options options = {0};
    stowage_session_answer answer;
    stowage_session *plan;
    stowage_set_buffers(s, 3, lower, upper, size);
    stowage_set_names(s, names);
    stowage_set_pools(s, 2, memories, room, NULL, NULL);
    stowage_set_allowed(s, 1, c, sram);
    options.pools = in;
    if (stowage_session_open(s, at, &options, sizeof options, &plan) != STOWAGE_FEASIBLE)
        return 1;
    stowage_set_buffers(rules, 2, any, any, any);     /* only names and rules count */
    stowage_set_names(rules, names);
    stowage_set_apart(rules, 1, first, second);
    if (stowage_session_bind(plan, rules) == STOWAGE_FEASIBLE)
        printf("a is in %s\n", memories[stowage_session_pool_of(plan, "a")]);
    stowage_set_buffers(more, 1, from, until, bytes);
    stowage_set_names(more, view);
    stowage_set_buffers(rules, 2, any, any, any);
    stowage_set_names(rules, tied);
    stowage_set_together(rules, 1, first, second, four);
    if (stowage_session_place_with(plan, more, rules, STOWAGE_STEP_NONE, &offset) == STOWAGE_FEASIBLE) {
        stowage_session_get_answer(plan, &answer, sizeof answer);
        printf("view is at %d in %s\n", (int)offset, memories[answer.pools[0]]);
    }
    if (stowage_session_limit_pool(plan, 0, 3) == STOWAGE_INFEASIBLE)
        printf("3 bytes of sram: %s\n", stowage_session_proof(plan));
    stowage_session_free(plan);
    stowage_free(more), stowage_free(rules), stowage_free(s);
    return 0;
}
