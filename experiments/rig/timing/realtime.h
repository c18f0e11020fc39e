/* What the rig's programs share: the clock, and being on time. */
#ifndef REALTIME_H
#define REALTIME_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

enum { OBSERVER_LEVEL = 3, WITNESS_LEVEL = 4, NS_PER_S = 1000000000 };

static inline int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline void sleep_until_ns(int64_t at_ns)
{
    struct timespec at = {.tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        ;
}

/* Before others and without page faults. Below 0 where the system doesn't allow the priority. */
static inline int go_realtime(int priority)
{
    struct sched_param level = {.sched_priority = priority};

    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    (void)prctl(PR_SET_TIMERSLACK, 1L);
    return sched_setscheduler(0, SCHED_RR, &level);
}

static inline void end_with_parent(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
}

#endif
