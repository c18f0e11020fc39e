/* A witness of standstills: times at which a processor core ran nobody.
 *
 *     standstill BEYOND_US [NAP_US]
 *
 * A thread for each core that it may use, tied to it and before all others of the rig, sleeps
 * NAP_US microseconds (500 without) and looks at the clock. A sleep that ends more than
 * BEYOND_US late means that nothing of lower priority ran there either, whatever the reason: the
 * core was lent to another machine, its clock didn't tick, or the kernel was busy. Prints
 * "watching CORES", then for each such sleep
 *
 *     FROM_NS UNTIL_NS CORE
 *
 * when it should have ended and when it did (CLOCK_MONOTONIC). Where real-time priority isn't
 * allowed a late sleep tells nothing: "not allowed" is all it prints. Ends when its parent does,
 * or at SIGTERM.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "realtime.h"

static int tie_to(int core)
{
    cpu_set_t only;

    CPU_ZERO(&only);
    CPU_SET(core, &only);
    return sched_setaffinity(0, sizeof only, &only);
}

typedef struct {
    int core;
    int64_t beyond_ns, nap_ns;
} Watch;

/* Never returns: reports late sleeps of one core. */
static void *watch(void *given)
{
    const Watch *own = given;

    if (tie_to(own->core) < 0 || go_realtime(WITNESS_LEVEL) < 0)
        exit(1);
    for (;;) {
        int64_t due_ns = monotonic_ns() + own->nap_ns;
        sleep_until_ns(due_ns);
        int64_t now_ns = monotonic_ns();
        if (now_ns - due_ns <= own->beyond_ns)
            continue;
        if (dprintf(STDOUT_FILENO, "%lld %lld %d\n", (long long)due_ns, (long long)now_ns,
                    own->core) < 0)
            exit(1);
    }
}

int main(int count, char **words)
{
    int64_t beyond_ns = count > 1 ? strtoll(words[1], NULL, 10) * 1000 : 0;
    int64_t nap_ns = (count > 2 ? strtoll(words[2], NULL, 10) : 500) * 1000;
    static Watch watches[CPU_SETSIZE];
    pthread_t thread;
    cpu_set_t allowed;

    if (beyond_ns <= 0 || nap_ns <= 0) {
        fprintf(stderr, "standstill BEYOND_US [NAP_US]\n");
        return 2;
    }
    end_with_parent();
    if (go_realtime(WITNESS_LEVEL) < 0 || sched_getaffinity(0, sizeof allowed, &allowed) < 0) {
        puts("not allowed");
        return 0;
    }
    dprintf(STDOUT_FILENO, "watching %d\n", CPU_COUNT(&allowed));
    for (int core = 0; core < CPU_SETSIZE; core++) {
        watches[core] = (Watch){core, beyond_ns, nap_ns};
        if (CPU_ISSET(core, &allowed) && pthread_create(&thread, NULL, watch, &watches[core]))
            return 1;
    }
    pthread_exit(NULL);
}
