/* For LD_PRELOAD: does anybody free a condition that a thread of the software renderer broadcasts?
 *
 * Such a thread waits BROADCAST_US microseconds before each broadcast, as if it were interrupted
 * there. Prints "freed" when the block around its condition is freed meanwhile.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

static char *volatile broadcast[MOST_THREADS];
static volatile int threads;
static __thread int own = -1;

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    static int (*plain)(pthread_cond_t *);
    char name[16] = "";

    if (!plain)
        plain = (int (*)(pthread_cond_t *))dlsym(RTLD_NEXT, "pthread_cond_broadcast");
    pthread_getname_np(pthread_self(), name, sizeof name);
    if (strncmp(name, "llvmpipe", 8) != 0)
        return plain(condition);
    if (own < 0)
        own = __sync_fetch_and_add(&threads, 1) % MOST_THREADS;
    broadcast[own] = (char *)condition;
    usleep((useconds_t)atoi(getenv("BROADCAST_US")));
    int result = plain(condition);
    broadcast[own] = NULL;
    return result;
}

void free(void *block)
{
    static void (*plain)(void *);

    if (!plain)
        plain = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    for (int i = 0; block && i < threads && i < MOST_THREADS; i++) {
        char *at = broadcast[i];
        if (at && at >= (char *)block && at < (char *)block + malloc_usable_size(block))
            (void)!write(STDERR_FILENO, "freed\n", 6);
    }
    plain(block);
}
